// SPDX-License-Identifier: Apache-2.0
//
// `--check --dump_table=FILE`: what the lookup tables of a configuration look like, to compare two
// balancers.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "l4lb/config/config.h"

namespace l4lb {

/// Writes each table of the policies maglev and ring: a line `# pool NAME POLICY SIZE checksum N`,
/// then its slots or points.  Looks host names up.  An error names the pool or the file.
absl::Status DumpTables(const Config& config, const std::string& path);

}  // namespace l4lb
