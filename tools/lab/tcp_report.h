// SPDX-License-Identifier: Apache-2.0
//
// What was run over real TCP, for people and for programs.
#pragma once

#include <string>

#include "tools/lab/options.h"
#include "tools/lab/tcp_survey.h"

namespace l4lb::lab {

std::string TableText(const RunOptions& options, const TcpSurvey& survey);
std::string JsonText(const RunOptions& options, const TcpSurvey& survey);

}  // namespace l4lb::lab
