// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/log_file.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "l4lb/net/errno_text.h"

namespace l4lb {
namespace {

absl::Status OpenError(const std::string& path, int error) {
  const std::string text = error == ENXIO ? "no process reads this FIFO" : ErrnoText(error);
  return absl::Status(absl::ErrnoToStatusCode(error),
                      absl::StrCat("cannot open access log ", path, ": ", text));
}

// Writing to a regular file never reports EAGAIN and needs no poll().
bool IsRegular(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
}

}  // namespace

absl::StatusOr<LogFile> LogFile::Open(const std::string& path) {
  if (path == "-") {
    UniqueFd fd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!fd) return OpenError("- (stdout)", errno);
    const bool shared = !IsRegular(fd.get());
    return LogFile(std::move(fd), shared);
  }
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  UniqueFd fd(open(path.c_str(), flags, 0640));
  if (!fd) return OpenError(path, errno);
  return LogFile(std::move(fd), false);
}

ssize_t LogFile::Write(std::string_view data) const {
  if (shared_) {
    pollfd ready = {.fd = fd_.get(), .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, 0) == 0) {
      errno = EAGAIN;
      return -1;
    }
    // A pipe that is writable takes this much without blocking.
    data = data.substr(0, PIPE_BUF);
  }
  return write(fd_.get(), data.data(), data.size());
}

}  // namespace l4lb
