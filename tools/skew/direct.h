// SPDX-License-Identifier: Apache-2.0
//
// Nothing in the middle: clients know the backends and choose for every request.
#pragma once

#include <vector>

#include "tools/skew/middle.h"

namespace l4lb::skew {

class Direct final : public Middle {
 public:
  Direct(const std::vector<Endpoint>& all, int in_use) {
    for (int i = 0; i < in_use; ++i) targets_.push_back(all[static_cast<size_t>(i)].address);
  }

  std::vector<SocketAddress> targets() const final { return targets_; }
  // Clients are told, and nobody else is there.
  absl::Status Add(int) final { return absl::OkStatus(); }
  absl::Status Remove(int) final { return absl::OkStatus(); }

 private:
  std::vector<SocketAddress> targets_;
};

}  // namespace l4lb::skew
