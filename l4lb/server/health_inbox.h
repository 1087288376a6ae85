// SPDX-License-Identifier: Apache-2.0
//
// News of the backends' health on their way to the control thread: from the checker, and from
// workers whose sessions met failures.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "l4lb/health/checker.h"

namespace l4lb {

class HealthInbox {
 public:
  /// See Pool::SetFailureSink().
  struct Failure {
    uint32_t pool = 0;
    uint64_t backend = 0;  // 0: some backend has failed.
  };
  using News = std::variant<CheckNews, Failure>;

  /// Any thread.
  void Post(News news) {
    const std::lock_guard lock(mutex_);
    news_.push_back(std::move(news));
    if (news_.size() == 1 && wake_) wake_();
  }

  /// Who takes is told so when there is something, at once if there is already.  Nothing: nobody is
  /// told any more.
  void SetWake(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
    if (!news_.empty() && wake_) wake_();
  }

  std::vector<News> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<News> news_;
  std::function<void()> wake_;  // Called under the mutex.
};

}  // namespace l4lb
