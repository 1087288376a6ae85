// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "l4lb/net/errno_text.h"

namespace l4lb::skew {
namespace {

constexpr int kTermMs = 1000;
constexpr size_t kLastLines = 3;

/// What a child is made of, before there is one.
struct Parts {
  UniqueFd input;
  UniqueFd output;
  UniqueFd failure_from;  // Of a pipe: it closes when the program runs.
  UniqueFd failure_to;
};

// 0 or an errno.
int Prepare(Parts* parts) {
  parts->input = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  parts->output = UniqueFd(memfd_create("output", MFD_CLOEXEC));
  int ends[2];
  if (!parts->input || !parts->output || pipe2(ends, O_CLOEXEC) != 0) return errno;
  parts->failure_from = UniqueFd(ends[0]);
  parts->failure_to = UniqueFd(ends[1]);
  // A program may open it once more by its name in /dev: neither is to write over the other.
  return fcntl(parts->output.get(), F_SETFL, O_APPEND) == 0 ? 0 : errno;
}

// In the child.  Other threads of the parent may have held any lock: system calls only.
[[noreturn]] void Become(char* const* arguments, const Parts& parts, int kept_fd, pid_t parent) {
  setpgid(0, 0);  // Ctrl-C is for us: we end it when nobody needs it any more.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // It died before it could be noticed.
  dup2(parts.input.get(), STDIN_FILENO);
  dup2(parts.output.get(), STDOUT_FILENO);
  dup2(parts.output.get(), STDERR_FILENO);
  // Ours are closed anyway; this is for those that we inherited.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (kept_fd >= 0) fcntl(kept_fd, F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(parts.failure_to.get(), &error, sizeof(error));
  _exit(1);
}

// Waits until the program runs.  0, or the errno of why it does not.
int ExecError(Parts* parts) {
  parts->failure_to.Reset();
  int error = 0;
  ssize_t count;
  do {
    count = read(parts->failure_from.get(), &error, sizeof(error));
  } while (count < 0 && errno == EINTR);
  return count == sizeof(error) ? error : 0;
}

// What becomes readable when the process ends; -1: see errno.  (glibc 2.36 declares its function so
// that C++ does not find it.)
int OpenPid(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

int Reap(pid_t pid) {
  int wait_status = 0;
  while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  return wait_status;
}

absl::Status StartError(const std::string& program, int error) {
  return absl::Status(absl::ErrnoToStatusCode(error),
                      absl::StrCat("cannot start ", program, ": ", ErrnoText(error)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    const std::vector<std::string>& command, int kept_fd) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  Parts parts;
  if (const int error = Prepare(&parts); error != 0) return StartError(command[0], error);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(arguments.data(), parts, kept_fd, parent);
  if (pid < 0) return StartError(command[0], errno);
  if (const int error = ExecError(&parts); error != 0) {
    Reap(pid);
    return StartError(command[0], error);
  }
  UniqueFd pid_fd(OpenPid(pid));
  if (!pid_fd) {
    const int error = errno;
    kill(pid, SIGKILL);
    Reap(pid);
    return StartError(command[0], error);
  }
  return std::unique_ptr<ChildProcess>(
      new ChildProcess(pid, std::move(pid_fd), std::move(parts.output)));
}

ChildProcess::ChildProcess(pid_t pid, UniqueFd pid_fd, UniqueFd output)
    : pid_(pid), pid_fd_(std::move(pid_fd)), output_(std::move(output)) {}

ChildProcess::~ChildProcess() {
  if (HasEnded()) return;
  kill(pid_, SIGTERM);
  if (HasEnded(kTermMs)) return;
  kill(pid_, SIGKILL);
  Reap(pid_);
}

bool ChildProcess::HasEnded(int timeout_ms) {
  if (ended_) return true;
  pollfd end = {.fd = pid_fd_.get(), .events = POLLIN};
  if (poll(&end, 1, timeout_ms) != 1) return false;
  wait_status_ = Reap(pid_);
  ended_ = true;
  return true;
}

std::string ChildProcess::Output() const {
  struct stat file = {};
  fstat(output_.get(), &file);
  std::string text(static_cast<size_t>(file.st_size), '\0');
  const ssize_t count = pread(output_.get(), text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

std::string ChildProcess::Ending() const {
  const std::string output = Output();
  std::vector<absl::string_view> lines = absl::StrSplit(output, '\n', absl::SkipWhitespace());
  if (lines.size() > kLastLines) lines.erase(lines.begin(), lines.end() - kLastLines);
  const bool killed = WIFSIGNALED(wait_status_);
  return absl::StrCat(killed ? "signal " : "exit status ",
                      killed ? WTERMSIG(wait_status_) : WEXITSTATUS(wait_status_),
                      lines.empty() ? "" : ": ", absl::StrJoin(lines, "; "));
}

}  // namespace l4lb::skew
