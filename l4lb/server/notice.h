// SPDX-License-Identifier: Apache-2.0
//
// Something has happened, once.  As absl::Notification; of std::mutex, which ThreadSanitizer knows
// (Debian's abseil is not built for it).
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace l4lb {

class Notice {
 public:
  using Clock = std::chrono::steady_clock;

  void Give() {
    const std::lock_guard lock(mutex_);
    given_ = true;
    changed_.notify_all();
  }
  /// False: it was not given until then.
  bool AwaitUntil(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline, [this] { return given_; });
  }

 private:
  std::mutex mutex_;  // Of all below.
  std::condition_variable changed_;
  bool given_ = false;
};

}  // namespace l4lb
