// SPDX-License-Identifier: Apache-2.0
//
// One check and a backend, over every engine.  For the tests of Check.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "l4lb/health/check.h"
#include "l4lb/health/expectation.h"
#include "tests/engine/conformance.h"

namespace l4lb {

class CheckTest : public ::testing::TestWithParam<EngineCase>, private Check::Host {
 protected:
  void SetUp() override {
    rig_ = GetParam().make(GetParam().options);
    rig_->engine().Poll(0);
    timers_.emplace(rig_->engine().now_ms());
    context_.emplace(CheckContext{rig_->engine(), *timers_, dropped_.data()});
    check_ = std::make_unique<Check>(*context_, static_cast<Check::Host&>(*this));
  }

  FarEnds& far_ends() { return rig_->far_ends(); }
  void Listen(FarEnds::Family family = FarEnds::Family::kIpv4) {
    listener_ = far_ends().ListenFar(family);
    address_ = listener_->address();
  }
  void Begin() {
    results_.clear();
    over_ = 0;
    check_->Begin(address_, plan_);
  }
  void Turn() {
    const int64_t soon_ms = rig_->clock().NowMs() + 5;
    rig_->engine().Poll(std::min(soon_ms, timers_->NextAt()));
    timers_->Advance(rig_->engine().now_ms());
  }
  bool RunUntil(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > limit) return false;
      Turn();
    }
    return true;
  }
  bool RunUntilOver() {
    return RunUntil([this] { return over_ > 0; });
  }
  bool RunUntilDecided() {
    return RunUntil([this] { return !results_.empty(); });
  }
  bool RunUntilArrived() {
    return RunUntil([this] { return (backend_ = listener_->Accept()) != nullptr; });
  }
  // Of the backend; what it gets before is in got_.
  bool RunUntilEnd() {
    return RunUntil([this] {
      got_ += backend_->Receive();
      return backend_->end() != Peer::End::kOpen;
    });
  }
  // The backend finishes once it has seen our FIN, and never hears of a reset.
  void ExpectQuietEnd() {
    ASSERT_TRUE(RunUntilEnd());
    EXPECT_EQ(backend_->end(), Peer::End::kFin);
    backend_->Finish();
    ASSERT_TRUE(RunUntilOver());
    for (int i = 0; i < 5; ++i) Turn();
    backend_->Receive();
    EXPECT_EQ(backend_->end(), Peer::End::kFin);
  }
  void ExpectPassed() {
    ASSERT_EQ(results_.size(), 1u);
    EXPECT_EQ(results_[0].kind, CheckResult::Kind::kPassed) << results_[0].reason;
    EXPECT_EQ(results_[0].reason, "");
    EXPECT_GE(results_[0].latency_us, 0);
  }
  void ExpectFailed(const std::string& reason) {
    ASSERT_EQ(results_.size(), 1u);
    EXPECT_EQ(results_[0].kind, CheckResult::Kind::kFailed);
    EXPECT_EQ(results_[0].reason, reason);
  }

  /// A timeout that always ends, but never before a connection is made.
  int64_t short_ms() { return far_ends().real() ? 50 : 2000; }

  CheckPlan plan_{.timeout_ms = 60'000};  // Never reached.
  SocketAddress address_;
  std::unique_ptr<EngineRig> rig_;
  std::optional<TimerWheel> timers_;
  std::unique_ptr<Check> check_;
  std::unique_ptr<PeerListener> listener_;
  std::unique_ptr<Peer> backend_;
  std::string got_;
  std::vector<CheckResult> results_;
  int over_ = 0;

 private:
  void OnVerdict(const CheckResult& result) override {
    EXPECT_EQ(over_, 0) << "a verdict after the end";
    results_.push_back(result);
  }
  void OnOver() override { ++over_; }

  std::string dropped_ = std::string(CheckContext::kDropBytes, ' ');
  std::optional<CheckContext> context_;
};

// The others differ in their pumps.
inline std::vector<EngineCase> EnginesForChecks() {
  std::vector<EngineCase> engines = AllEngines();
  std::erase_if(engines, [](const EngineCase& engine) {
    const std::string name = engine.name;
    return name.ends_with("Copying") || name.ends_with("Tiny");
  });
  return engines;
}

}  // namespace l4lb
