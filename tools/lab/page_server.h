// SPDX-License-Identifier: Apache-2.0
//
// `l4lb-lab serve`: the page with sliders, and the simulator behind it.  On loopback only: whoever
// can reach it can keep this machine busy.
//
//   GET /                    the page
//   GET /simulate?slow=1&..  what `l4lb-lab simulate --slow=1 ..` finds, as the page draws it; 400
//                            and one line of text when that is not right
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/net/socket_address.h"

struct MHD_Daemon;

namespace l4lb::lab {

class PageServer {
 public:
  struct Answer {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body;
  };

  /// `address`: of loopback; port 0 asks the kernel.
  static absl::StatusOr<std::unique_ptr<PageServer>> Start(const SocketAddress& address);
  ~PageServer();

  /// Where it listens.
  const SocketAddress& address() const { return address_; }

  /// `query`: "slow=1", in any order.  Any thread.
  static Answer Simulate(const std::vector<std::string>& query);

 private:
  friend struct PageCallbacks;
  PageServer();

  const std::string page_;
  SocketAddress address_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace l4lb::lab
