// SPDX-License-Identifier: Apache-2.0
//
// The page of --html and of `serve`: what it is told, and the page itself.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/lab/options.h"
#include "tools/lab/report.h"
#include "tools/lab/tcp_survey.h"

namespace l4lb::lab {

/// How many moments of a run the page draws.
constexpr int kPageSamples = 80;

/// What web/report.js draws.
nlohmann::ordered_json PageData(const SimulateOptions& options, const Findings& findings);
nlohmann::ordered_json PageData(const RunOptions& options, const TcpSurvey& survey);
/// The scenes of `serve`, each with the settings of its sliders.
nlohmann::ordered_json ScenesData();

/// A file that draws `data` and asks the network for nothing.
std::string PageText(const nlohmann::ordered_json& data);
/// The same, but it may ask where it came from.
std::string ServedPageText();

}  // namespace l4lb::lab
