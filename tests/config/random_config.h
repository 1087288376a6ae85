// SPDX-License-Identifier: Apache-2.0
//
// Valid configurations by chance, made from the key table, so that new keys are reached, too.
#pragma once

#include "l4lb/config/config.h"
#include "tests/support/dice.h"

namespace l4lb {

Config RandomConfig(Dice* dice);

}  // namespace l4lb
