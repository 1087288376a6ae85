// SPDX-License-Identifier: Apache-2.0
//
// `l4lb --demo`: three small HTTP backends inside the process, so that there is something to
// balance without a file, a network or another program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/config/config.h"

struct MHD_Daemon;

namespace l4lb {

class Demo {
 public:
  /// Starts the backends on free loopback ports.
  static absl::StatusOr<std::unique_ptr<Demo>> Start();
  ~Demo();

  /// Adds the pool `demo` and points every listener to it.
  void Configure(Config& config) const;

 private:
  struct Backend {
    std::string name;
    int delay_ms;
    MHD_Daemon* daemon = nullptr;
    std::string address;
  };

  Demo() = default;

  std::vector<std::unique_ptr<Backend>> backends_;
};

/// The lines of the banner that say what to try.  `address` is where the demo listens.
std::string DemoHints(const std::string& address);

}  // namespace l4lb
