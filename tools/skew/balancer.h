// SPDX-License-Identifier: Apache-2.0
//
// The daemon's own Server in the middle.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/server/server.h"
#include "tools/skew/middle.h"
#include "tools/skew/options.h"

namespace l4lb::skew {

class Balancer final : public Middle {
 public:
  /// With the first `options.backends` of `all`, as `mode` has it.
  static absl::StatusOr<std::unique_ptr<Balancer>> Start(const Options& options, Mode mode,
                                                         const std::vector<Endpoint>& all);

  std::vector<SocketAddress> targets() const final;
  absl::Status Add(int backend) final;
  absl::Status Remove(int backend) final;
  std::string about() const final { return about_; }
  void Tick() final;

 private:
  Balancer(std::unique_ptr<Server> server, Mode mode, const std::vector<Endpoint>& all);

  const std::unique_ptr<Server> server_;
  const Mode mode_;
  const std::vector<Endpoint> all_;
  const std::string about_;
};

}  // namespace l4lb::skew
