// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/proxy_process.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "l4lb/net/errno_text.h"
#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"
#include "tools/kit/event_loop.h"

namespace l4lb::skew {
namespace {

// Ready after some 50 ms, unless it hangs or the machine has far too much to do.  One that ends is
// noticed at once.
constexpr int kReadyMs = 20'000;
constexpr int kReadyStepMs = 5;
constexpr int kAnswerSeconds = 2;
constexpr char kAdvice[] = " (TMPDIR says where it is made)";

int64_t AfterNs(int64_t ns) { return kit::NowNs() + ns; }

// 0 or an errno.  A full backlog makes it wait, too.
int Connect(const SocketAddress& address, UniqueFd* out) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return errno;
  const timeval timeout = {.tv_sec = kAnswerSeconds};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  if (connect(fd.get(), address.get(), address.size()) != 0) return errno;
  *out = std::move(fd);
  return 0;
}

// 0 or an errno.
int SendAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return errno;
    if (sent > 0) bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return 0;
}

// 0 or an errno; ETIMEDOUT when the other end has not finished in time.
int ReceiveAll(int fd, std::string* out) {
  const int64_t end_ns = AfterNs(kAnswerSeconds * kit::kNsPerSecond);
  std::array<char, 4096> bytes;
  for (int64_t left_ns = end_ns - kit::NowNs(); left_ns > 0; left_ns = end_ns - kit::NowNs()) {
    pollfd ready = {.fd = fd, .events = POLLIN};
    if (poll(&ready, 1, static_cast<int>(left_ns / kit::kNsPerMs) + 1) != 1) continue;
    const ssize_t count = recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count == 0) return 0;
    if (count > 0) out->append(bytes.data(), static_cast<size_t>(count));
    if (count < 0 && errno != EINTR && errno != EAGAIN) return errno;
  }
  return ETIMEDOUT;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProxyProcess>> ProxyProcess::Prepare() {
  std::error_code none;  // Then it is tried where everybody may write.
  const std::string temporary = std::filesystem::temp_directory_path(none).string();
  std::string folder = absl::StrCat(temporary.empty() ? "/tmp" : temporary, "/l4lb-skew-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) {
    const int error = errno;
    return absl::Status(absl::ErrnoToStatusCode(error),
                        absl::StrCat("cannot make a folder for the files of a proxy, ", folder,
                                     ": ", ErrnoText(error), kAdvice));
  }
  std::unique_ptr<ProxyProcess> made(new ProxyProcess(folder));
  std::string error;
  if (!SocketAddress::Parse(absl::StrCat("unix:", made->control_path()), &made->control_, &error)) {
    return absl::InvalidArgumentError(absl::StrCat(error, kAdvice));
  }
  return made;
}

ProxyProcess::~ProxyProcess() {
  child_.reset();
  std::error_code ignored;  // It is in a temporary place anyway.
  std::filesystem::remove_all(folder_, ignored);
}

std::string ProxyProcess::PathOf(absl::string_view name) const {
  return absl::StrCat(folder_, "/", name);
}

absl::Status ProxyProcess::Run(const std::vector<std::string>& command, absl::string_view question,
                               int kept_fd) {
  program_ = command[0];
  auto child = ChildProcess::Start(command, kept_fd);
  if (!child.ok()) return child.status();
  child_ = *std::move(child);
  const int64_t end_ns = AfterNs(kReadyMs * kit::kNsPerMs);
  absl::StatusOr<std::string> answer;
  do {
    if (child_->HasEnded(kReadyStepMs)) return Ended(" before it was ready");
    answer = Ask(question);
    if (answer.ok()) return absl::OkStatus();
  } while (kit::NowNs() < end_ns);
  return absl::DeadlineExceededError(absl::StrCat(program_, " is not ready after ", kReadyMs / 1000,
                                                  " s: ", answer.status().message()));
}

absl::StatusOr<std::string> ProxyProcess::Ask(absl::string_view command) {
  UniqueFd fd;
  std::string answer;
  int error = Connect(control_, &fd);
  if (error == 0) error = SendAll(fd.get(), command);
  if (error == 0) error = ReceiveAll(fd.get(), &answer);
  // Even "done" has a line.
  if (error == 0 && answer.empty()) error = ECONNRESET;
  if (error == 0) return answer;
  if (child_->HasEnded()) return Ended("");
  return absl::Status(
      absl::ErrnoToStatusCode(error),
      absl::StrCat(program_, " does not answer at ", control_path(), ": ", ErrnoText(error)));
}

absl::Status ProxyProcess::Ended(absl::string_view when) const {
  return absl::UnavailableError(absl::StrCat(program_, " ended", when, ", ", child_->Ending()));
}

}  // namespace l4lb::skew
