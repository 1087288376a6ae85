// SPDX-License-Identifier: Apache-2.0
//
// A proxy that runs in a process of its own and takes commands over a UNIX socket, one connection
// for each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "l4lb/net/socket_address.h"
#include "tools/skew/child_process.h"

namespace l4lb::skew {

/// For one thread.  The destructor ends the proxy and removes its folder.
class ProxyProcess {
 public:
  /// Makes a folder for its files that nobody else can read.
  static absl::StatusOr<std::unique_ptr<ProxyProcess>> Prepare();
  ~ProxyProcess();
  ProxyProcess(const ProxyProcess&) = delete;
  ProxyProcess& operator=(const ProxyProcess&) = delete;

  /// Where the proxy is to listen for commands.
  std::string control_path() const { return PathOf("control"); }
  /// Of a file in the folder.
  std::string PathOf(absl::string_view name) const;

  /// Starts it, see ChildProcess::Start(), and returns when it has answered `question`, which it
  /// does not before it listens everywhere.  (That its port accepts a connection would not say who
  /// is there.)
  absl::Status Run(const std::vector<std::string>& command, absl::string_view question,
                   int kept_fd = -1);

  /// Sends the bytes of a command.  What comes until it closes the connection, within two seconds.
  absl::StatusOr<std::string> Ask(absl::string_view command);

 private:
  explicit ProxyProcess(std::string folder) : folder_(std::move(folder)) {}
  absl::Status Ended(absl::string_view when) const;

  const std::string folder_;
  SocketAddress control_;
  std::string program_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace l4lb::skew
