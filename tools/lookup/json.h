// SPDX-License-Identifier: Apache-2.0
//
// The JSON object of a run, also what the page draws from.
#pragma once

#include "nlohmann/json.hpp"
#include "tools/lookup/options.h"
#include "tools/lookup/survey.h"

namespace l4lb::lookup {

nlohmann::ordered_json JsonOf(const Options& options, const Survey& survey);

}  // namespace l4lb::lookup
