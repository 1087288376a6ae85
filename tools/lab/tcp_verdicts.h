// SPDX-License-Identifier: Apache-2.0
//
// What is said about policies, as sentences that a run over real TCP confirms or does not.
#pragma once

#include <string>
#include <vector>

#include "tools/lab/tcp_survey.h"

namespace l4lb::lab {

struct Verdict {
  std::string claim;
  std::string measured;
  bool holds = false;
};

/// Of a scene; only those whose policies were run.
std::vector<Verdict> VerdictsOf(const std::string& scene, const std::vector<TcpRow>& rows);

}  // namespace l4lb::lab
