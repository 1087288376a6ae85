// SPDX-License-Identifier: Apache-2.0
//
// What must hold between the values of a pool that are about health.  Called by validate.cc and
// load.cc.
#pragma once

#include <vector>

#include "l4lb/config/config.h"
#include "l4lb/config/origins.h"
#include "l4lb/config/validate.h"

namespace l4lb {

/// A timeout and a fast interval that were not given are at most the interval.
void FillCheckTimes(const Origins& origins, Config* config);

/// After FillCheckTimes().  Appends to `findings`.  `origins` tells what was given; without any,
/// only what differs from its default was.
void ValidateHealth(const Config& config, const Origins& origins, std::vector<Finding>* findings);

}  // namespace l4lb
