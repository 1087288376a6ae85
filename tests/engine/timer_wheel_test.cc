// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/timer_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20240608;
constexpr int64_t kTwoTo32 = int64_t{1} << 32;

// Timers by number; remembers what fired, and in which order.
class Recorder {
 public:
  explicit Recorder(int timers) : entries_(static_cast<size_t>(timers)) {
    for (Entry& entry : entries_) {
      entry.recorder = this;
      entry.timer.owner = &entry;
      entry.timer.expired = [](Timer& timer) {
        Entry& fired = *static_cast<Entry*>(static_cast<OwnedTimer&>(timer).owner);
        fired.recorder->OnExpired(static_cast<int>(&fired - fired.recorder->entries_.data()));
      };
    }
  }

  Timer& operator[](int number) { return entries_[static_cast<size_t>(number)].timer; }
  std::vector<int> Take() { return std::exchange(fired_, {}); }
  /// Runs in every callback.
  std::function<void(int number)> also;

 private:
  struct Entry {
    OwnedTimer timer;
    Recorder* recorder = nullptr;
  };

  void OnExpired(int number) {
    fired_.push_back(number);
    if (also) also(number);
  }

  std::vector<Entry> entries_;
  std::vector<int> fired_;
};

using Numbers = std::vector<int>;

TEST(TimerWheelTest, FiresAtItsTimeAndNotBefore) {
  TimerWheel wheel(1000);
  Recorder timers(1);
  wheel.Arm(timers[0], 1010);
  EXPECT_TRUE(timers[0].armed());
  EXPECT_EQ(wheel.size(), 1u);
  EXPECT_EQ(wheel.NextAt(), 1010);
  wheel.Advance(1009);
  EXPECT_EQ(timers.Take(), Numbers{});
  wheel.Advance(1010);
  EXPECT_EQ(timers.Take(), Numbers{0});
  EXPECT_FALSE(timers[0].armed());
  EXPECT_EQ(wheel.size(), 0u);
  EXPECT_EQ(wheel.NextAt(), TimerWheel::kNever);
}

TEST(TimerWheelTest, FiresInOrderOfTimeHoweverFarTheJump) {
  TimerWheel wheel(0);
  Recorder timers(6);
  wheel.Arm(timers[3], 400'000'000'000);
  wheel.Arm(timers[1], 64);
  wheel.Arm(timers[5], INT64_MAX);
  wheel.Arm(timers[2], kTwoTo32);
  wheel.Arm(timers[0], 63);
  wheel.Arm(timers[4], int64_t{1} << 61);
  wheel.Advance(INT64_MAX);
  EXPECT_EQ(timers.Take(), (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(TimerWheelTest, WhatHasPassedFiresInTheNextAdvanceInOrderToo) {
  TimerWheel wheel(1000);
  Recorder timers(5);
  wheel.Arm(timers[1], 500);
  wheel.Arm(timers[4], 1001);
  wheel.Arm(timers[0], -7);
  wheel.Arm(timers[3], 1000);
  wheel.Arm(timers[2], 999);
  EXPECT_LE(wheel.NextAt(), 1000);
  wheel.Advance(1001);
  EXPECT_EQ(timers.Take(), (Numbers{0, 1, 2, 3, 4}));
}

TEST(TimerWheelTest, AdvanceToTheSameOrAnEarlierTimeStillFiresThePassed) {
  TimerWheel wheel(1000);
  Recorder timers(2);
  wheel.Arm(timers[0], 1000);
  wheel.Advance(1000);
  EXPECT_EQ(timers.Take(), Numbers{0});
  wheel.Arm(timers[1], 1005);
  wheel.Advance(10);
  EXPECT_EQ(timers.Take(), Numbers{});
  wheel.Advance(1005);
  EXPECT_EQ(timers.Take(), Numbers{1});
}

TEST(TimerWheelTest, ArmMovesAnArmedTimer) {
  TimerWheel wheel(0);
  Recorder timers(1);
  wheel.Arm(timers[0], 10);
  wheel.Arm(timers[0], 5'000);
  EXPECT_EQ(wheel.size(), 1u);
  wheel.Advance(4'999);
  EXPECT_EQ(timers.Take(), Numbers{});
  wheel.Arm(timers[0], 6'000);
  wheel.Arm(timers[0], 5'000);
  wheel.Advance(5'000);
  EXPECT_EQ(timers.Take(), Numbers{0});
}

TEST(TimerWheelTest, DisarmLeavesNoTrace) {
  TimerWheel wheel(0);
  Recorder timers(3);
  wheel.Disarm(timers[0]);
  wheel.Arm(timers[0], 100);
  wheel.Arm(timers[1], 100);
  wheel.Arm(timers[2], -1);
  wheel.Disarm(timers[2]);
  wheel.Disarm(timers[0]);
  EXPECT_EQ(wheel.NextAt(), 64);  // When 100 is moved to the finest wheel.
  wheel.Disarm(timers[1]);
  wheel.Disarm(timers[1]);
  EXPECT_EQ(wheel.size(), 0u);
  EXPECT_EQ(wheel.NextAt(), TimerWheel::kNever);
  wheel.Advance(1'000);
  EXPECT_EQ(timers.Take(), Numbers{});
}

TEST(TimerWheelTest, CallbackThatArmsForThePastDoesNotLoop) {
  TimerWheel wheel(0);
  Recorder timers(1);
  timers.also = [&](int) { wheel.Arm(timers[0], 5); };
  wheel.Arm(timers[0], 5);
  wheel.Advance(10);
  EXPECT_EQ(timers.Take(), Numbers{0});
  EXPECT_EQ(wheel.NextAt(), 10);
  wheel.Advance(10);
  EXPECT_EQ(timers.Take(), Numbers{0});
}

TEST(TimerWheelTest, CallbackMayDisarmWhatIsDueInTheSameAdvance) {
  TimerWheel wheel(0);
  Recorder timers(4);
  timers.also = [&](int fired) {
    for (int other : {0, 1}) {
      if (other != fired) wheel.Disarm(timers[other]);
    }
    wheel.Disarm(timers[2]);
  };
  wheel.Arm(timers[0], 7);
  wheel.Arm(timers[1], 7);
  wheel.Arm(timers[2], 8);
  wheel.Arm(timers[3], 5'000);
  wheel.Advance(100);
  EXPECT_EQ(timers.Take().size(), 1u);
  EXPECT_EQ(wheel.size(), 1u);
}

TEST(TimerWheelTest, OwnerMayDieInItsCallback) {
  struct Session {
    OwnedTimer timer;
    int* deaths;
  };
  int deaths = 0;
  TimerWheel wheel(0);
  for (int i = 0; i < 10; ++i) {
    auto* session = new Session{.timer = {}, .deaths = &deaths};
    session->timer.owner = session;
    session->timer.expired = [](Timer& timer) {
      const std::unique_ptr<Session> dead(
          static_cast<Session*>(static_cast<OwnedTimer&>(timer).owner));
      ++*dead->deaths;
    };
    wheel.Arm(session->timer, 3);
  }
  wheel.Advance(3);
  EXPECT_EQ(deaths, 10);
}

// One call per occupied slot on the way, not per millisecond.
TEST(TimerWheelTest, NextAtReachesAFarTimerInFewSteps) {
  TimerWheel wheel(12'345);
  Recorder timers(1);
  const int64_t at_ms = 12'345 + int64_t{365} * 24 * 3600 * 1000;
  wheel.Arm(timers[0], at_ms);
  int steps = 0;
  while (wheel.size() > 0) {
    ASSERT_LE(wheel.NextAt(), at_ms);
    wheel.Advance(wheel.NextAt());
    ASSERT_LE(++steps, 11);
  }
  EXPECT_EQ(timers.Take(), Numbers{0});
}

// The wheel beside a sorted map that is too simple to be wrong.
class Model {
 public:
  Model(uint64_t seed, int64_t now_ms)
      : dice_(seed), now_ms_(now_ms), wheel_(now_ms), timers_(kTimers), at_(kTimers) {
    timers_.also = [this](int number) { OnExpired(number); };
  }

  void Step() {
    switch (dice_.Below(4)) {
      case 0:
        return Disarm(AnyTimer());
      case 1:
        return Advance(now_ms_ + RandomDelay());
      default:
        return Arm(AnyTimer(), now_ms_ + RandomDelay() - static_cast<int64_t>(dice_.Below(50)));
    }
  }

  void Check() {
    ASSERT_EQ(wheel_.size(), order_.size());
    const int64_t next_ms = wheel_.NextAt();
    if (order_.empty()) {
      ASSERT_EQ(next_ms, TimerWheel::kNever);
    } else {
      ASSERT_LE(next_ms, std::max(order_.begin()->first, now_ms_));
      ASSERT_GE(next_ms, now_ms_);
    }
  }

 private:
  static constexpr int kTimers = 60;
  static constexpr int64_t kDisarmed = INT64_MIN;

  int AnyTimer() { return static_cast<int>(dice_.Below(kTimers)); }
  // From nothing to 2^45 ms, every size alike.
  int64_t RandomDelay() {
    return static_cast<int64_t>(dice_.Below(uint64_t{1} << dice_.Below(46)));
  }

  void Forget(int number) {
    auto [first, last] = order_.equal_range(at_[static_cast<size_t>(number)]);
    for (auto it = first; it != last; ++it) {
      if (it->second == number) {
        order_.erase(it);
        break;
      }
    }
  }
  void Arm(int number, int64_t at_ms) {
    if (timers_[number].armed()) Forget(number);
    at_[static_cast<size_t>(number)] = at_ms;
    order_.emplace(at_ms, number);
    if (advancing_ && at_ms <= now_ms_) ++later_[number];
    wheel_.Arm(timers_[number], at_ms);
  }
  void Disarm(int number) {
    ASSERT_EQ(timers_[number].armed(), IsExpected(number));
    if (timers_[number].armed()) Forget(number);
    later_.erase(number);
    wheel_.Disarm(timers_[number]);
  }
  bool IsExpected(int number) const {
    return std::any_of(order_.begin(), order_.end(),
                       [number](const auto& entry) { return entry.second == number; });
  }

  void Advance(int64_t now_ms) {
    now_ms_ = now_ms;
    last_fired_ms_ = kDisarmed;
    advancing_ = true;
    wheel_.Advance(now_ms);
    advancing_ = false;
    for (const auto& [at_ms, number] : order_) {
      ASSERT_TRUE(at_ms > now_ms_ || later_.count(number) == 1) << "did not fire: " << at_ms;
    }
    later_.clear();
  }

  void OnExpired(int number) {
    const int64_t at_ms = at_[static_cast<size_t>(number)];
    EXPECT_TRUE(IsExpected(number));
    EXPECT_EQ(later_.count(number), 0u) << "armed by a callback of the same Advance()";
    EXPECT_LE(at_ms, now_ms_) << "too early";
    EXPECT_GE(at_ms, last_fired_ms_) << "out of order";
    EXPECT_FALSE(timers_[number].armed());
    last_fired_ms_ = at_ms;
    Forget(number);
    if (dice_.Chance(0.3)) Arm(number, now_ms_ + RandomDelay() - 20);
    if (dice_.Chance(0.3)) Arm(AnyTimer(), now_ms_ + RandomDelay() - 20);
    if (dice_.Chance(0.3)) Disarm(AnyTimer());
  }

  Dice dice_;
  int64_t now_ms_;
  TimerWheel wheel_;
  Recorder timers_;
  std::vector<int64_t> at_;
  std::multimap<int64_t, int> order_;  // What is armed, by time.
  std::map<int, int> later_;  // Armed for the past by a callback: due in the next Advance().
  bool advancing_ = false;
  int64_t last_fired_ms_ = kDisarmed;
};

TEST(TimerWheelTest, AgreesWithASortedMap) {
  const std::vector<int64_t> starts = {0, 63, 1'000'000, kTwoTo32 - 100, (int64_t{1} << 60) - 5};
  for (uint64_t round = 0; round < 40; ++round) {
    const uint64_t seed = kSeed + round;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Model model(seed, starts[round % starts.size()]);
    for (int step = 0; step < 1'500; ++step) {
      ASSERT_NO_FATAL_FAILURE(model.Step());
      ASSERT_NO_FATAL_FAILURE(model.Check());
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

}  // namespace
}  // namespace l4lb
