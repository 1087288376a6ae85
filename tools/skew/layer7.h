// SPDX-License-Identifier: Apache-2.0
//
// A layer-7 proxy in the middle, one that this machine has: it chooses a backend for every request.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/skew/layer7_choice.h"
#include "tools/skew/middle.h"
#include "tools/skew/program.h"

namespace l4lb::skew {

enum class Layer7Kind : uint8_t { kHaproxy, kNghttpx };

struct Layer7Program {
  Layer7Kind kind;
  std::string path;
  std::string version_text;  ///< "HAProxy 2.6.12", "nghttpx 1.52.0"
};

/// kAuto: HAProxy, else nghttpx, else nothing.  A program that was chosen and is not there is an
/// error, which names its package.
absl::StatusOr<std::optional<Layer7Program>> FindLayer7(
    Layer7Choice choice, const std::vector<std::string>& folders = ProgramFolders());

/// Returns when it serves.  `in_use`: places in `all`, at least one.  The proxy ends with the
/// thread that calls this.
absl::StatusOr<std::unique_ptr<Middle>> StartLayer7(const Layer7Program& program,
                                                    const std::vector<Endpoint>& all,
                                                    const std::vector<int>& in_use);

}  // namespace l4lb::skew
