// SPDX-License-Identifier: Apache-2.0
//
// HAProxy in the middle: HTTP/2 without TLS on both sides, round robin over requests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/skew/middle.h"

namespace l4lb::skew {

/// `path`: of the program, 2.6 or later.  The rest as StartLayer7().
absl::StatusOr<std::unique_ptr<Middle>> StartHaproxy(const std::string& path,
                                                     const std::vector<Endpoint>& all,
                                                     const std::vector<int>& in_use);

}  // namespace l4lb::skew
