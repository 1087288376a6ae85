// SPDX-License-Identifier: Apache-2.0
//
// Where the configuration came from, and what became of it.  Control thread only.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "l4lb/config/config.h"
#include "l4lb/observe/status.h"

namespace l4lb {

class ConfigSource {
 public:
  /// `path` empty: the command line alone; nothing can be read again then.
  explicit ConfigSource(const std::string& path);

  bool has_file() const { return !status_.path.empty(); }
  const std::string& path() const { return status_.path; }
  const ConfigStatus& status() const { return status_; }

  /// Reads the file.  An error names the place; it is kept in status().
  absl::StatusOr<Config> Read();
  /// What was read last is running now, or (an error) could not be taken over.
  void Note(const absl::Status& outcome);

 private:
  absl::Status Fail(const absl::Status& status);

  ConfigStatus status_;
  std::string read_hash_;
};

}  // namespace l4lb
