// SPDX-License-Identifier: Apache-2.0
//
// From flags alone to a Config with one listener and one pool, both named "default".  Called by
// ReadCommandLine().
#pragma once

#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "l4lb/config/argument_scanner.h"
#include "l4lb/config/load_file.h"

namespace l4lb {

/// The flags that were given, by name.
using GivenFlags = absl::btree_map<std::string, std::string>;

/// Without `demo` --listen and --backends must have been given.  With it there is no pool, and the
/// listener has a default.
LoadedConfig ConfigFromFlags(const GivenFlags& given, bool demo, FlagErrors* errors);

}  // namespace l4lb
