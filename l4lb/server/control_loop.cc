// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/control_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "glog/logging.h"
#include "l4lb/net/clock.h"

namespace l4lb {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(1000 / Server::kTicksPerSecond);
constexpr absl::Duration kIdleLook = absl::Milliseconds(20);  // While the end is near.
constexpr absl::Duration kPatience = absl::Seconds(5);        // For sessions told to close.
constexpr absl::Duration kFileLook = absl::Milliseconds(500);

// Monotonic: whoever sets the machine's clock does not stretch a drain, nor stop the ticks.
absl::Time Now() { return absl::UnixEpoch() + absl::Milliseconds(Clock::Real().NowMs()); }

sigset_t OurSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) ::sigaddset(&signals, number);
  return signals;
}

void WriteStats(Server& server) {
  const std::string line = server.StatsJson() + "\n";
  // One write, so that log lines of other threads do not get into it.
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) {
    LOG(ERROR) << "cannot write the counters: " << google::StrError(errno);
  }
}

void Reopen(Server& server) {
  if (server.config().access_log.path.empty()) return;
  const absl::Status status = server.ReopenLogs();
  if (status.ok()) {
    LOG(INFO) << "SIGHUP: the access log was opened anew";
  } else {
    LOG(ERROR) << "SIGHUP: " << status.message() << "; the old file stays in use";
  }
}

void LogReport(const ReloadReport& report, const Caller& caller) {
  if (report.changed) {
    LOG(INFO) << "reload (" << caller.name << "): " << absl::StrJoin(report.changes, "; ");
  } else {
    LOG(INFO) << "reload (" << caller.name << "): the configuration has not changed, hash "
              << report.hash;
  }
  for (const std::string& change : report.ignored) {
    LOG(WARNING) << "reload: " << change << " needs a restart";
  }
}

}  // namespace

void BlockSignals() {
  const sigset_t signals = OurSignals();
  PCHECK(::pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
}

ControlLoop::ControlLoop(Server& server, ConfigSource source,
                         std::function<void(const Config&)> on_reload)
    : server_(server),
      source_(std::move(source)),
      on_reload_(std::move(on_reload)),
      signals_([] {
        const sigset_t signals = OurSignals();
        return ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
      }()),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  PCHECK(signals_ && wake_);
}

void ControlLoop::Run() {
  server_.SetWake([this] { Post([this] { server_.HandleNews(); }); });
  while (phase_ != Phase::kEnded) {
    Wait();
    OnSignals();
    RunTasks();
    Look();
    Advance();
  }
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  server_.SetWake(nullptr);
  RunTasks();  // Who has asked gets an answer.
  LOG(INFO) << "stopped";
}

bool ControlLoop::Post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    tasks_.push_back(std::move(task));
  }
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);  // Fails only when a wake-up is pending anyway.
  return true;
}

absl::Duration ControlLoop::Patience() const {
  const absl::Time now = Now();
  absl::Duration patience = phase_ends_ - now;
  const absl::Duration tick = server_.NeedsTick() ? kTick : Server::kSlowTick;
  patience = std::min(patience, next_tick_ - kTick + tick - now);
  if (server_.config().watch && source_.has_file()) {
    patience = std::min(patience, next_look_ - now);
  }
  if (phase_ != Phase::kServing && phase_ != Phase::kDelay)
    patience = std::min(patience, kIdleLook);
  return std::max(patience, absl::ZeroDuration());
}

void ControlLoop::Wait() {
  const absl::Duration patience = Patience();
  const timespec timeout = absl::ToTimespec(patience);
  pollfd events[] = {{.fd = signals_.get(), .events = POLLIN, .revents = 0},
                     {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  ::ppoll(events, std::size(events), patience == absl::InfiniteDuration() ? nullptr : &timeout,
          nullptr);
}

void ControlLoop::OnSignals() {
  signalfd_siginfo signal;
  while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
    OnSignal(static_cast<int>(signal.ssi_signo));
  }
}

void ControlLoop::OnSignal(int number) {
  switch (number) {
    case SIGUSR1:
      return WriteStats(server_);
    case SIGHUP:
      Reopen(server_);
      if (source_.has_file()) Reload({"SIGHUP"}).IgnoreError();
      return;
    default:
      return Stop({number == SIGTERM ? "SIGTERM" : "SIGINT"});
  }
}

void ControlLoop::RunTasks() {
  uint64_t count;
  (void)!::read(wake_.get(), &count, sizeof count);
  std::vector<Task> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (Task& task : tasks) task();
}

// What is done by the clock.
void ControlLoop::Look() {
  const absl::Time now = Now();
  if (now >= next_tick_) {
    next_tick_ = now + kTick;
    server_.Tick();
  }
  if (now < next_look_) return;
  next_look_ = now + kFileLook;
  WatchFile();
}

void ControlLoop::WatchFile() {
  if (!server_.config().watch || !source_.has_file()) {
    watch_.reset();
  } else if (!watch_) {
    watch_.emplace(source_.path());
  } else if (watch_->Changed()) {
    Reload({"watch"}).IgnoreError();
  }
}

absl::StatusOr<ReloadReport> ControlLoop::Reload(const Caller& caller) {
  absl::StatusOr<ReloadReport> report = [this]() -> absl::StatusOr<ReloadReport> {
    const absl::StatusOr<Config> config = source_.Read();
    if (!config.ok()) return config.status();
    absl::StatusOr<ReloadReport> taken = server_.Reload(*config);
    source_.Note(taken.status());
    if (taken.ok() && on_reload_) on_reload_(*config);
    return taken;
  }();
  if (!report.ok()) {
    LOG(ERROR) << "reload (" << caller.name << ") refused, nothing has changed:\n"
               << report.status().message();
    return report;
  }
  report->hash = source_.status().hash;
  LogReport(*report, caller);
  return report;
}

ProcessStatus ControlLoop::Status() {
  ProcessStatus status = server_.Status();
  status.config = source_.status();
  status.ready = ready();
  status.draining = phase_ != Phase::kServing;
  if (phase_ == Phase::kDraining) {
    status.drain_left_ms = std::max<int64_t>(absl::ToInt64Milliseconds(phase_ends_ - Now()), 0);
  }
  return status;
}

void ControlLoop::Enter(Phase phase, absl::Duration patience) {
  phase_ = phase;
  phase_ends_ = Now() + patience;
}

void ControlLoop::Stop(const Caller& caller) {
  ready_ = false;
  switch (phase_) {
    case Phase::kServing:
      if (server_.config().shutdown_delay > absl::ZeroDuration()) {
        LOG(INFO) << caller.name << ": not ready any more, accepting for "
                  << absl::FormatDuration(server_.config().shutdown_delay) << " more";
        return Enter(Phase::kDelay, server_.config().shutdown_delay);
      }
      return BeginDrain();
    case Phase::kDelay:
      server_.StopListening();
      [[fallthrough]];
    default:
      LOG(INFO) << caller.name << ": closing all sessions at once";
      server_.CloseSessions(CloseReason::shutdown);
      server_.Hurry();
      return Enter(Phase::kHurrying, kPatience);
  }
}

void ControlLoop::BeginDrain() {
  const absl::Duration timeout = server_.config().drain_timeout;
  LOG(INFO) << "draining: no new sessions, open ones may go on for "
            << absl::FormatDuration(timeout) << "; a second signal closes them at once";
  server_.StopListening();
  server_.Drain(timeout);
  Enter(Phase::kDraining, timeout);
}

void ControlLoop::Advance() {
  const bool stopping = phase_ != Phase::kServing && phase_ != Phase::kDelay;
  if (stopping && server_.idle()) return Enter(Phase::kEnded, absl::InfiniteDuration());
  if (Now() < phase_ends_) return;
  switch (phase_) {
    case Phase::kServing:
    case Phase::kEnded:
      return;
    case Phase::kDelay:
      return BeginDrain();
    case Phase::kDraining:
      LOG(INFO) << "closing the sessions that are left";
      server_.CloseSessions(CloseReason::shutdown);
      return Enter(Phase::kClosing, kPatience);
    case Phase::kClosing:
      server_.Hurry();
      return Enter(Phase::kHurrying, kPatience);
    case Phase::kHurrying:
      return Enter(Phase::kEnded, absl::InfiniteDuration());
  }
}

}  // namespace l4lb
