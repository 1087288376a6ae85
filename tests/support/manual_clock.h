// SPDX-License-Identifier: Apache-2.0
//
// A clock that moves only when told to.  FakeEngine::Poll() moves it when nothing is ready.
#pragma once

#include <cstdint>

#include "glog/logging.h"
#include "l4lb/net/clock.h"

namespace l4lb {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t now_ms = 1'000'000) : now_ms_(now_ms) {}

  int64_t NowMs() const override { return now_ms_; }
  void MoveTo(int64_t now_ms) {
    CHECK_GE(now_ms, now_ms_) << "time never goes back";
    now_ms_ = now_ms;
  }
  void Advance(int64_t ms) { MoveTo(now_ms_ + ms); }

 private:
  int64_t now_ms_;
};

}  // namespace l4lb
