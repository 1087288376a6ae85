// SPDX-License-Identifier: Apache-2.0
//
// The file, FIFO or terminal that the access log goes to, written without blocking where the kernel
// lets us.  Used by the access log's thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {

class LogFile {
 public:
  /// Appends to `path`, made with mode 0640; "-" is stdout.
  static absl::StatusOr<LogFile> Open(const std::string& path);

  /// Writes as much as goes now.  Returns the bytes written, or -1 with errno set; EAGAIN when the
  /// reader is behind, then poll fd() for POLLOUT.
  ssize_t Write(std::string_view data) const;
  int fd() const { return fd_.get(); }

 private:
  LogFile(UniqueFd fd, bool shared) : fd_(std::move(fd)), shared_(shared) {}

  UniqueFd fd_;
  // Others have the same open file, so O_NONBLOCK is not ours to set; ask poll() instead.
  bool shared_;
};

}  // namespace l4lb
