// SPDX-License-Identifier: Apache-2.0
//
// A configuration file with the place of each value.  Used by ReadCommandLine(); everybody else
// calls ParseConfig() (load.h).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "l4lb/config/config.h"
#include "l4lb/config/origins.h"

namespace l4lb {

struct LoadedConfig {
  Config config;
  Origins origins;
};

absl::StatusOr<LoadedConfig> LoadText(absl::string_view path, absl::string_view text);

/// Reads the file; `path` may name a pipe.
absl::StatusOr<LoadedConfig> LoadFile(const std::string& path);

}  // namespace l4lb
