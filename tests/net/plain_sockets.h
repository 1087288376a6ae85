// SPDX-License-Identifier: Apache-2.0
//
// Blocking sockets for tests of net/, and a folder for the files of UNIX sockets.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {

inline int Option(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  EXPECT_EQ(getsockopt(fd, level, name, &value, &size), 0);
  return value;
}

/// Empty when it cannot connect.
inline UniqueFd Connected(const SocketAddress& address) {
  UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), address.get(), address.size()) != 0) fd.Reset();
  return fd;
}

/// Waits at most 15 s.
inline UniqueFd Accepted(int listener) {
  pollfd ready = {.fd = listener, .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&ready, 1, 15'000), 1);
  return UniqueFd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
}

/// A folder that goes away with the files in it.
class TemporaryFolder {
 public:
  TemporaryFolder() { EXPECT_NE(mkdtemp(path_), nullptr); }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string File(const std::string& name) const { return std::string(path_) + "/" + name; }

 private:
  char path_[32] = "/tmp/l4lb_net_XXXXXX";
};

}  // namespace l4lb
