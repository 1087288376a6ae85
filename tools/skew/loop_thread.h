// SPDX-License-Identifier: Apache-2.0
//
// A thread that serves sockets, does what is due, and what other threads ask for.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "l4lb/net/unique_fd.h"
#include "tools/kit/event_loop.h"

namespace l4lb::skew {

class LoopThread final : private kit::Watcher {
 public:
  /// What the thread does beside its sockets.
  class Duty {
   public:
    /// CLOCK_MONOTONIC; when DoDue() is to be called at the latest.
    virtual int64_t NextNs() const = 0;
    /// Once a turn, after the events of its sockets.
    virtual void DoDue(int64_t now_ns) = 0;

   protected:
    ~Duty() = default;
  };

  explicit LoopThread(Duty& duty);
  ~LoopThread() { Stop(); }

  /// Before Start() by any thread, afterwards by its own.
  kit::EventLoop& loop() { return loop_; }
  void Start();
  /// Runs `task` on the thread, soon.  Any thread.
  void Post(std::function<void()> task);
  /// Returns when the thread has ended; what was posted before has run.
  void Stop();

 private:
  void OnReady(uint32_t events) final;
  void Run();
  void RunPosted();

  Duty& duty_;
  kit::EventLoop loop_;
  const UniqueFd wake_;
  bool stop_ = false;  // Of the thread.
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // Under mutex_.
  std::thread thread_;
};

}  // namespace l4lb::skew
