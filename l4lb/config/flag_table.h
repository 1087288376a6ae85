// SPDX-License-Identifier: Apache-2.0
//
// All flags: those of the key table and those that are not about a key.  Used by the argument
// scanner, flags.cc, --help and the man page.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "l4lb/config/key_table.h"

namespace l4lb {

struct Flag {
  absl::string_view name;
  std::string value;         // What help shows after "=".  Empty: a switch, true or false.
  const Key* key = nullptr;  // Not ours: the key that the flag sets.
  absl::string_view summary;

  bool is_switch() const { return value.empty(); }
};

/// In the order of help: listeners, pools, the process, the program.
const std::vector<Flag>& AllFlags();

/// nullptr: no such flag.
const Flag* FindFlag(absl::string_view name);

}  // namespace l4lb
