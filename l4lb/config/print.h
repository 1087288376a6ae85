// SPDX-License-Identifier: Apache-2.0
//
// The effective configuration with a comment beside each value that says where it came from.
// Called by ReadCommandLine() for --print_config; PrintConfig() (load.h) prints without comments.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "l4lb/config/config.h"
#include "l4lb/config/origins.h"

namespace l4lb {

std::string PrintWithOrigins(const Config& config, absl::string_view source,
                             const Origins& origins);

/// A YAML scalar that reads back as this text, in quotes where they are needed.
std::string QuoteYaml(absl::string_view text);

}  // namespace l4lb
