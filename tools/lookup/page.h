// SPDX-License-Identifier: Apache-2.0
//
// The page of --html: one file that draws itself and asks the network for nothing.
#pragma once

#include <string>

#include "tools/lookup/options.h"
#include "tools/lookup/survey.h"

namespace l4lb::lookup {

std::string PageText(const Options& options, const Survey& survey);

}  // namespace l4lb::lookup
