// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/serve.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "absl/time/clock.h"
#include "glog/logging.h"

namespace l4lb {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(20);  // While draining.
constexpr absl::Duration kPatience = absl::Seconds(5);    // For sessions that were told to close.

sigset_t OurSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) ::sigaddset(&signals, number);
  return signals;
}

// The next signal, or 0 when none came within `patience`.
int WaitForSignal(absl::Duration patience) {
  const sigset_t signals = OurSignals();
  const timespec timeout = absl::ToTimespec(patience);
  const int number = ::sigtimedwait(&signals, nullptr, &timeout);
  return number < 0 ? 0 : number;
}

void WriteStats(Server& server) {
  const std::string line = server.StatsJson() + "\n";
  // One write, so that log lines of other threads do not get into it.
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) {
    LOG(ERROR) << "cannot write the counters: " << google::StrError(errno);
  }
}

void Reopen(Server& server) {
  const absl::Status status = server.ReopenLogs();
  if (status.ok()) {
    LOG(INFO) << "SIGHUP: the access log was opened anew";
  } else {
    LOG(ERROR) << "SIGHUP: " << status.message() << "; the old file stays in use";
  }
}

// Handles what does not end the process.
bool Handled(Server& server, int number) {
  if (number == SIGUSR1) WriteStats(server);
  if (number == SIGHUP) Reopen(server);
  return number != SIGTERM && number != SIGINT;
}

// Until the last session is gone or `deadline` has passed.  False when the second signal came.
bool WaitUntilIdle(Server& server, absl::Time deadline) {
  while (!server.idle() && absl::Now() < deadline) {
    if (!Handled(server, WaitForSignal(kLook))) return false;
  }
  return true;
}

}  // namespace

void BlockSignals() {
  const sigset_t signals = OurSignals();
  PCHECK(::pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
}

void ServeUntilStopped(Server& server, absl::Duration drain_timeout) {
  while (Handled(server, WaitForSignal(absl::Hours(1)))) {
  }
  LOG(INFO) << "draining: no new sessions, open ones may go on for "
            << absl::FormatDuration(drain_timeout) << "; a second signal closes them at once";
  server.StopListening();
  const bool patient = WaitUntilIdle(server, absl::Now() + drain_timeout);
  if (!server.idle()) {
    LOG(INFO) << "closing the sessions that are left";
    server.CloseSessions(CloseReason::shutdown);
    if (patient) WaitUntilIdle(server, absl::Now() + kPatience);
    server.Hurry();
    WaitUntilIdle(server, absl::Now() + kPatience);
  }
  LOG(INFO) << "stopped";
}

}  // namespace l4lb
