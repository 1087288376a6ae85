// SPDX-License-Identifier: Apache-2.0
//
// What must hold between the values of a Config, wherever they were given.  Called by load.cc and
// flag_config.cc.
#pragma once

#include <string>
#include <vector>

#include "l4lb/config/config.h"
#include "l4lb/config/origins.h"

namespace l4lb {

/// One thing that is wrong.
struct Finding {
  std::string path;  // Of the value, as in Origins.
  std::string message;
  std::string hint;   // May be empty.
  std::string first;  // The path of the value that it collides with, or empty.
};

/// Gives listeners and backends without a name theirs.
void FillNames(Config* config);

/// After FillNames().  What is empty has been reported before and is passed over.  `origins` tells
/// what was given.
std::vector<Finding> Validate(const Config& config, const Origins& origins = {});

}  // namespace l4lb
