// SPDX-License-Identifier: Apache-2.0
//
// A client of the admin API that may do whatever TCP lets it do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "l4lb/net/unique_fd.h"

namespace l4lb {

struct RawAnswer {
  int status = 0;                              // 0: the connection ended before an answer.
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;
};

class RawClient {
 public:
  /// `address` as AdminServer::address() gives it.  Dies when it cannot connect.  `receive_buffer`:
  /// of the socket, in bytes; 0: the kernel's choice.
  explicit RawClient(const std::string& address, int receive_buffer = 0);

  /// Sends it all, unless the other end has closed.  False: it has.
  bool Send(std::string_view bytes);
  /// Sends what the kernel takes within `ms`.  Returns how much.
  size_t SendFor(std::string_view bytes, int ms);
  void FinishSending();
  /// Reads one answer; `has_body`: false after HEAD.
  RawAnswer Read(bool has_body = true);
  /// Waits until the other end has closed, for `ms` at most; drops what comes.
  bool ReadsEnd(int ms);

  /// One request without a body and its answer.
  RawAnswer Ask(const std::string& method, const std::string& target,
                const std::string& headers = "", const std::string& body = "");

 private:
  bool ReadMore();

  UniqueFd fd_;
  std::string input_;
};

/// On a connection of its own.
RawAnswer AskOnce(const std::string& address, const std::string& target,
                  const std::string& headers = "");

/// Resident memory of this process that belongs to no file, in KiB.
int64_t PrivateKiB();

/// File descriptors of this process.
int64_t OpenFds();

}  // namespace l4lb
