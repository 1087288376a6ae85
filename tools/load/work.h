// SPDX-License-Identifier: Apache-2.0
//
// One thread's share of a load.  The runner makes one for each thread: Open(), then, at the same
// moment on all threads, Run().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/load/dialer.h"
#include "tools/load/loop.h"
#include "tools/load/options.h"
#include "tools/load/pattern.h"
#include "tools/load/tally.h"

namespace l4lb::load {

/// Which thread this is.
struct Share {
  int index = 0;
  int of = 1;

  /// This thread's part of `total`; all parts make up `total`.
  int64_t Part(int64_t total) const { return total / of + (index < total % of ? 1 : 0); }
};

/// Monotonic times.  Operations scheduled from measure_ns to end_ns count; after that their answers
/// are waited for until give_up_ns.
struct Window {
  int64_t begin_ns = 0;
  int64_t measure_ns = 0;
  int64_t end_ns = 0;
  int64_t give_up_ns = 0;
};

class Work {
 public:
  static constexpr int64_t kNever = INT64_MAX;
  static constexpr size_t kScratch = 256 * 1024;
  static constexpr size_t kReadSize = 64 * 1024;  ///< Of it, for messages.

  Work(const Options& options, const Pattern& pattern, Share share, std::atomic<bool>& stop);
  virtual ~Work() = default;

  /// Opens what is to be open before the window begins; counts what fails.
  virtual void Open() {}
  void Run(const Window& window);

  const Live& live() const { return live_; }
  const Tally& tally() const { return tally_; }

  // --- for the connections

  const Options& options() const { return options_; }
  const Pattern& pattern() const { return pattern_; }
  EventLoop& loop() { return loop_; }
  Dialer& dialer() { return dialer_; }
  Live& live() { return live_; }
  char* scratch() { return scratch_.get(); }  ///< kScratch bytes, for one call.
  /// No new operations.
  bool ended() const { return ended_; }
  /// True as long as --count allows another operation, and takes it.
  bool BeginOperation();
  /// One is done; it was scheduled for `scheduled_ns`.
  void EndOperation(int64_t scheduled_ns, int64_t now_ns);
  /// In the histogram, when `scheduled_ns` is in the measured time.
  void RecordLatency(int64_t scheduled_ns, int64_t now_ns);
  /// `times` are over without an answer; what failed is counted apart.
  void AbandonOperations(int64_t times = 1) { over_ += times; }
  void Fail(Failure kind, std::string detail) { tally_.Fail(kind, std::move(detail)); }
  /// By `error`, of connect(), send() or recv().
  void FailOfErrno(int error, const char* doing);
  /// Says where the first wrong byte is, and what stands there instead.  False when all are right.
  bool FailIfWrong(uint64_t key, uint64_t position, const char* data, size_t size);

 protected:
  virtual void Begin() = 0;
  /// Once a turn.  When it wants to be called again at the latest.
  virtual int64_t OnTurn(int64_t now_ns) = 0;
  /// The time is over or the count is reached.
  virtual void End() {}
  /// Nothing is under way any more.
  virtual bool Idle() const = 0;
  /// The last moment: counts what is still unanswered, and closes.
  virtual void GiveUp(int64_t now_ns) = 0;

  const Window& window() const { return window_; }
  Share share() const { return share_; }
  bool running() const { return window_.begin_ns != 0; }
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }
  Tally& mutable_tally() { return tally_; }

 private:
  void StartMeasuring(int64_t now_ns);
  void StopMeasuring(int64_t now_ns);
  bool CountReached() const { return count_ > 0 && over_ >= count_; }

  const Options& options_;
  const Pattern& pattern_;
  const Share share_;
  std::atomic<bool>& stop_;
  EventLoop loop_;
  Dialer dialer_;
  std::unique_ptr<char[]> scratch_;
  Window window_;
  Live live_;
  Tally tally_;
  const int64_t count_;  // 0: no end.
  int64_t begun_ = 0;
  int64_t over_ = 0;  // Answered or abandoned.
  bool measuring_ = false;
  bool ended_ = false;
  int64_t measured_from_ns_ = 0;
};

/// The work that `options` names.
std::unique_ptr<Work> MakeWork(const Options& options, const Pattern& pattern, Share share,
                               std::atomic<bool>& stop);

}  // namespace l4lb::load
