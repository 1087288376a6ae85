// SPDX-License-Identifier: Apache-2.0
#include "tools/load/runner.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "l4lb/net/unique_fd.h"
#include "tools/kit/stop_signals.h"
#include "tools/load/work.h"

namespace l4lb::load {
namespace {

constexpr int kProgressEveryMs = 500;

Window WindowFromNow(const Options& options) {
  Window window;
  window.begin_ns = NowNs();
  window.measure_ns = window.begin_ns + options.warmup_ms * kNsPerMs;
  window.end_ns = options.stay ? Work::kNever : window.measure_ns + options.duration_ms * kNsPerMs;
  window.give_up_ns = options.stay ? Work::kNever : window.end_ns + options.grace_ms * kNsPerMs;
  return window;
}

// Reads what is on stdin; true at its end.
bool StdinEnded() {
  std::array<char, 4096> ignored;
  return read(STDIN_FILENO, ignored.data(), ignored.size()) <= 0;
}

class Runner {
 public:
  explicit Runner(const Options& options);
  Outcome Run();

 private:
  struct AllOpen {
    Runner* runner;
    void operator()() noexcept { runner->OnAllOpen(); }
  };

  void OpenAndRun(Work& work);
  void OnAllOpen();
  void WatchOver();
  void ShowProgress();
  uint64_t Sum(std::atomic<uint64_t> Live::*counter) const;

  const Options& options_;
  const Pattern pattern_;
  const UniqueFd stop_signals_ = kit::StopSignalFd();
  const UniqueFd over_{eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)};
  std::atomic<bool> stop_ = false;
  std::vector<std::unique_ptr<Work>> works_;
  Window window_;
  int64_t shown_ns_ = 0;
  uint64_t shown_operations_ = 0;
  uint64_t shown_bytes_ = 0;
  std::barrier<AllOpen> all_open_;
};

Runner::Runner(const Options& options)
    : options_(options), all_open_(options.threads, AllOpen{this}) {
  for (int i = 0; i < options.threads; ++i) {
    works_.push_back(MakeWork(options, pattern_, Share{i, options.threads}, stop_));
  }
}

void Runner::OpenAndRun(Work& work) {
  work.Open();
  all_open_.arrive_and_wait();
  work.Run(window_);
  eventfd_write(over_.get(), 1);
}

// On the last thread that is ready, while the others wait.
void Runner::OnAllOpen() {
  window_ = WindowFromNow(options_);
  if (options_.stay) std::cout << "ready" << std::endl;
}

// Until all threads are over.
void Runner::WatchOver() {
  const bool shows = !options_.quiet && isatty(STDERR_FILENO) == 1;
  pollfd fds[] = {{.fd = over_.get(), .events = POLLIN},
                  {.fd = stop_signals_.get(), .events = POLLIN},
                  {.fd = options_.stay ? STDIN_FILENO : -1, .events = POLLIN}};
  for (size_t running = works_.size(); running > 0;) {
    poll(fds, std::size(fds), shows ? kProgressEveryMs : -1);
    eventfd_t one;
    if ((fds[0].revents & POLLIN) != 0 && eventfd_read(over_.get(), &one) == 0) --running;
    const bool stdin_ended = fds[2].revents != 0 && StdinEnded();
    if (fds[1].revents != 0 || stdin_ended) {
      stop_ = true;
      fds[1].fd = fds[2].fd = -1;
    }
    if (shows) ShowProgress();
  }
  if (shows) std::cerr << "\r\033[K" << std::flush;
}

uint64_t Runner::Sum(std::atomic<uint64_t> Live::*counter) const {
  uint64_t sum = 0;
  for (const auto& work : works_) {
    sum += (std::as_const(*work).live().*counter).load(std::memory_order_relaxed);
  }
  return sum;
}

void Runner::ShowProgress() {
  const int64_t now_ns = NowNs();
  const double seconds = static_cast<double>(now_ns - shown_ns_) / kNsPerSecond;
  const uint64_t operations = Sum(&Live::operations);
  const uint64_t bytes = Sum(&Live::bytes_up) + Sum(&Live::bytes_down);
  if (shown_ns_ != 0 && seconds > 0.1) {
    std::cerr << absl::StrFormat("\r\033[K%s: %d open, %.0f/s, %.2f Gb/s", options_.work,
                                 Sum(&Live::open),
                                 static_cast<double>(operations - shown_operations_) / seconds,
                                 static_cast<double>(bytes - shown_bytes_) * 8e-9 / seconds)
              << std::flush;
  } else if (shown_ns_ != 0) {
    return;
  }
  shown_ns_ = now_ns;
  shown_operations_ = operations;
  shown_bytes_ = bytes;
}

Outcome Runner::Run() {
  std::vector<std::thread> threads;
  for (const auto& work : works_) {
    threads.emplace_back([this, &work = *work] { OpenAndRun(work); });
  }
  WatchOver();
  for (std::thread& thread : threads) thread.join();
  Outcome outcome = {.interrupted = stop_};
  for (const auto& work : works_) outcome.tally.Merge(work->tally());
  return outcome;
}

}  // namespace

Outcome RunLoad(const Options& options) { return Runner(options).Run(); }

}  // namespace l4lb::load
