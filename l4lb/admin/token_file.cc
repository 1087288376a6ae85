// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/net/errno_text.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

constexpr size_t kLongestToken = 4096;

absl::Status Wrong(const std::string& path, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("token file ", path, " ", absl::string_view(what.data(), what.size())));
}

void WarnIfPublic(const std::string& path, int fd) {
  struct stat file;
  if (::fstat(fd, &file) != 0 || (file.st_mode & S_IROTH) == 0) return;
  LOG(WARNING) << "everybody on this machine may read the token file " << path
               << "; chmod o= " << path << " changes that";
}

}  // namespace

absl::StatusOr<std::string> ReadTokenFile(const std::string& path) {
  // A pipe or a terminal must not hold up the start.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return Wrong(path, absl::StrCat("cannot be read: ", ErrnoText(errno)));
  std::string text(kLongestToken + 2, '\0');
  const ssize_t size = ::read(fd.get(), text.data(), text.size());
  if (size < 0) return Wrong(path, absl::StrCat("cannot be read: ", ErrnoText(errno)));
  text.resize(static_cast<size_t>(size));
  absl::StripAsciiWhitespace(&text);
  if (text.size() > kLongestToken) return Wrong(path, "is too long; a token has one line");
  if (text.size() < kShortestToken) {
    return Wrong(path, absl::StrCat("has ", text.size(), " characters, a token at least ",
                                    kShortestToken, "; such as: openssl rand -hex 32"));
  }
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isgraph)) {
    return Wrong(path, "must have one line of printable ASCII without spaces");
  }
  WarnIfPublic(path, fd.get());
  return text;
}

bool IsToken(std::string_view given, std::string_view token) {
  volatile unsigned char difference = given.size() == token.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    difference = difference | static_cast<unsigned char>(given[i] ^ token[i % token.size()]);
  }
  return difference == 0;
}

}  // namespace l4lb
