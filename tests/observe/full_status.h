// SPDX-License-Identifier: Apache-2.0
//
// A status that has something of everything, so that what is not exported shows.
#pragma once

#include <string>
#include <vector>

#include "l4lb/observe/status.h"

namespace l4lb {

/// A name that is legal in a configuration and hard on every text format.
inline constexpr const char* kAwkwardName = R"(a "b" \n {c="d"} 10 % )"
                                            "\xc3\xa9 \xe6\xbc\xa2,";

struct FullStatus {
  FullStatus();

  ProcessStatus status;
  /// Each number in `status` that must be exported, as it must stand there: all differ.
  std::vector<std::string> values;
};

}  // namespace l4lb
