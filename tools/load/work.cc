// SPDX-License-Identifier: Apache-2.0
#include "tools/load/work.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "l4lb/net/errno_text.h"

namespace l4lb::load {
namespace {

// What the bytes at a wrong place tell about how they came there.
std::string Explanation(const Pattern& pattern, uint64_t key, uint64_t position, const char* data,
                        size_t size) {
  const std::optional<int64_t> shift = pattern.Shift(key, position, data, size);
  if (!shift.has_value()) return "bytes that belong to no stream";
  // A jump further than what can lie between two ends is another stream's place in the text.
  constexpr int64_t kFarAway = 128 * 1024;
  if (*shift > 0 && *shift < kFarAway) return absl::StrCat(*shift, " bytes are missing");
  if (*shift < 0 && *shift > -kFarAway) return absl::StrCat(-*shift, " bytes come again");
  return "bytes of another stream, or from far away in this one";
}

double CpuSecondsOfThread() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / kNsPerSecond;
}

}  // namespace

Work::Work(const Options& options, const Pattern& pattern, Share share, std::atomic<bool>& stop)
    : options_(options),
      pattern_(pattern),
      share_(share),
      stop_(stop),
      dialer_(options.targets, options.sources),
      scratch_(std::make_unique<char[]>(kScratch)),
      count_(share.Part(options.count)) {}

void Work::Run(const Window& window) {
  window_ = window;
  int64_t now_ns = window.begin_ns;
  if (window.measure_ns == window.begin_ns) StartMeasuring(now_ns);
  Begin();
  while (!stopped() && !(ended_ && (Idle() || now_ns >= window.give_up_ns))) {
    const int64_t wanted_ns = OnTurn(now_ns);
    const int64_t limit_ns = !measuring_ && !ended_ ? window.measure_ns
                             : ended_               ? window.give_up_ns
                                                    : window.end_ns;
    loop_.Turn(std::min(wanted_ns, limit_ns));
    now_ns = loop_.now_ns();
    if (!measuring_ && !ended_ && now_ns >= window.measure_ns) StartMeasuring(now_ns);
    if (!ended_ && (now_ns >= window.end_ns || CountReached())) StopMeasuring(now_ns);
  }
  if (!ended_) StopMeasuring(now_ns);
  GiveUp(now_ns);
  tally_.open = live_.open.load(std::memory_order_relaxed);
  if (over_ < count_ && !stopped()) {
    tally_.Fail(Failure::not_reached, absl::StrCat("only ", over_, " of ", count_, " operations"),
                static_cast<uint64_t>(count_ - over_));
  }
}

void Work::StartMeasuring(int64_t now_ns) {
  measuring_ = true;
  measured_from_ns_ = now_ns;
  tally_.cpu_seconds = CpuSecondsOfThread();
  tally_.operations = live_.operations.load(std::memory_order_relaxed);
  tally_.bytes_up = live_.bytes_up.load(std::memory_order_relaxed);
  tally_.bytes_down = live_.bytes_down.load(std::memory_order_relaxed);
}

void Work::StopMeasuring(int64_t now_ns) {
  if (!measuring_) measured_from_ns_ = window_.begin_ns;  // All that there was, was warming up.
  measuring_ = false;
  ended_ = true;
  tally_.operations = live_.operations.load(std::memory_order_relaxed) - tally_.operations;
  tally_.bytes_up = live_.bytes_up.load(std::memory_order_relaxed) - tally_.bytes_up;
  tally_.bytes_down = live_.bytes_down.load(std::memory_order_relaxed) - tally_.bytes_down;
  tally_.cpu_seconds = CpuSecondsOfThread() - tally_.cpu_seconds;
  tally_.seconds = static_cast<double>(now_ns - measured_from_ns_) / kNsPerSecond;
  tally_.until_ns = now_ns;
  End();
}

bool Work::BeginOperation() {
  if (ended_ || (count_ > 0 && begun_ >= count_)) return false;
  ++begun_;
  return true;
}

void Work::EndOperation(int64_t scheduled_ns, int64_t now_ns) {
  ++over_;
  Live::Add(live_.operations, 1);
  RecordLatency(scheduled_ns, now_ns);
}

void Work::RecordLatency(int64_t scheduled_ns, int64_t now_ns) {
  if (scheduled_ns < window_.measure_ns || scheduled_ns >= window_.end_ns) return;
  tally_.latency_ns.Record(static_cast<uint64_t>(std::max<int64_t>(now_ns - scheduled_ns, 0)));
}

void Work::FailOfErrno(int error, const char* doing) {
  Fail(FailureOfErrno(error), absl::StrCat(doing, ": ", ErrnoText(error)));
}

bool Work::FailIfWrong(uint64_t key, uint64_t position, const char* data, size_t size) {
  const std::optional<size_t> wrong = pattern_.FirstWrong(key, position, data, size);
  if (!wrong.has_value()) return false;
  const uint64_t place = position + *wrong;
  const auto byte = [](char c) {
    return absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2);
  };
  Fail(Failure::wrong_bytes,
       absl::StrCat("stream ", key, ", position ", place, ": 0x", byte(data[*wrong]),
                    " instead of 0x", byte(*pattern_.At(key, place)), ": ",
                    Explanation(pattern_, key, place, data + *wrong, size - *wrong)));
  return true;
}

}  // namespace l4lb::load
