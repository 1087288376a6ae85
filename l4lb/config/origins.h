// SPDX-License-Identifier: Apache-2.0
//
// Where each value of a Config was given.  Filled by config_reader and flag_config; used to place
// the findings of validate and for the comments of --print_config.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "l4lb/config/diagnostics.h"

namespace l4lb {

struct Origin {
  Span span;         // In the file.
  size_t line = 0;   // 0: not from a file.
  std::string flag;  // Empty: not from a flag.
  /// The value could not be read, or its key is misspelled: it is reported already, and the Config
  /// has the default.
  bool wrong = false;
};

/// By path with indices: "pools[0].backends[3].address", and "pools[0].backends[3]" for the place
/// of the element.  What is not there is a default.
class Origins {
 public:
  void Set(std::string path, Origin origin) { origins_[std::move(path)] = std::move(origin); }

  /// nullptr: a default.
  const Origin* Find(absl::string_view path) const {
    const auto found = origins_.find(path);
    return found == origins_.end() ? nullptr : &found->second;
  }

  /// The origin of `path` or of the nearest thing around it.
  Origin Around(absl::string_view path) const {
    for (;;) {
      if (const Origin* origin = Find(path)) return *origin;
      const size_t dot = path.rfind('.');
      if (dot == path.npos) return {};
      path = path.substr(0, dot);
    }
  }

 private:
  absl::flat_hash_map<std::string, Origin> origins_;
};

}  // namespace l4lb
