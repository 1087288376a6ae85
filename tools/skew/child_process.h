// SPDX-License-Identifier: Apache-2.0
//
// A program that runs while an object lives, and never longer than the thread that started it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb::skew {

/// For one thread.
class ChildProcess {
 public:
  /// `command`: the path of a program, then its arguments.  It blocks no signal, has nothing on its
  /// standard input, and of our files only `kept_fd` (-1: none), with the same number.  Other
  /// threads may run.  An error says why it could not be started.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(
      const std::vector<std::string>& command, int kept_fd = -1);
  /// Ends it: SIGTERM, and SIGKILL when it is still there a second later.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Waits for its end, but not longer than this.
  bool HasEnded(int timeout_ms = 0);
  /// Of one that has ended by itself with exit status 0.
  bool succeeded() const { return ended_ && wait_status_ == 0; }
  /// Its standard output and standard error so far.
  std::string Output() const;
  /// Of one that has ended: "exit status 1: ", then its last lines.
  std::string Ending() const;

 private:
  ChildProcess(pid_t pid, UniqueFd pid_fd, UniqueFd output);

  const pid_t pid_;
  const UniqueFd pid_fd_;
  const UniqueFd output_;  // A file that has no name and goes with us.
  bool ended_ = false;     // And reaped.
  int wait_status_ = 0;    // As waitpid() has it.
};

}  // namespace l4lb::skew
