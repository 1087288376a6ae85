// SPDX-License-Identifier: Apache-2.0
//
// What a run of l4lb-lookup found, for people and for machines.
#pragma once

#include <string>

#include "tools/lookup/options.h"
#include "tools/lookup/survey.h"

namespace l4lb::lookup {

/// Tables for a terminal 80 characters wide; only claims are longer.
std::string TableText(const Options& options, const Survey& survey);

/// One object; docs/reference/lookup.md has its members.
std::string JsonText(const Options& options, const Survey& survey);

}  // namespace l4lb::lookup
