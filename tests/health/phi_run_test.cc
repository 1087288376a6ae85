// SPDX-License-Identifier: Apache-2.0
//
// When the detector phi helps, and when it does not: backends in virtual time, the detectors of the
// daemon, and a table (docs/explanation/health.md quotes it).  Counting is given the timeout with
// which it notices a silent death as soon as phi does, on average over the pool; the figures are
// how often either takes out a backend that was alive.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "l4lb/health/check_plan.h"
#include "l4lb/health/detector.h"
#include "l4lb/health/pace.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr int64_t kDayMs = 24 * 3600 * 1000;
constexpr int64_t kStartMs = 1'000'000;
constexpr int64_t kNeverMs = INT64_MAX;

/// Answers after a while, and stands still now and then (collects garbage, compacts, waits for its
/// disk).
class Backend {
 public:
  struct Habits {
    int64_t pause_every_ms = 0;  // On average; 0: never.
    int64_t least_pause_ms = 0;
    double tail = 3;        // P(pause > x) = (least / x) ^ tail: heavy.
    double median_ms = 10;  // Of an answer's delay, which is lognormal.
    double sigma = 0.3;
  };

  Backend(const Habits& habits, int64_t end_ms, Dice& dice)
      : habits_(habits), salt_(dice.Below(1ull << 40)) {
    if (habits.pause_every_ms == 0) return;
    for (int64_t at_ms = kStartMs; at_ms < end_ms;) {
      at_ms += std::llround(-std::log(Fraction(dice)) * static_cast<double>(habits.pause_every_ms));
      const double length =
          static_cast<double>(habits.least_pause_ms) * std::pow(Fraction(dice), -1 / habits.tail);
      const int64_t until_ms = at_ms + std::min<int64_t>(60'000, std::llround(length));
      pauses_.push_back({at_ms, until_ms});
      at_ms = until_ms;
    }
  }

  /// When a check that begins then is answered.
  int64_t AnsweredAt(int64_t begun_ms) const {
    const int64_t delay_ms = DelayAt(begun_ms);
    const auto next =
        std::upper_bound(pauses_.begin(), pauses_.end(), begun_ms,
                         [](int64_t at_ms, const Pause& pause) { return at_ms < pause.until_ms; });
    const bool paused = next != pauses_.end() && next->at_ms <= begun_ms;
    return (paused ? next->until_ms : begun_ms) + delay_ms;
  }

 private:
  struct Pause {
    int64_t at_ms;
    int64_t until_ms;
  };
  static double Fraction(Dice& dice) {
    return (static_cast<double>(dice.Below(1 << 30)) + 1) / (1 << 30);
  }

  // Always the same for the same check, whoever asks.
  int64_t DelayAt(int64_t begun_ms) const {
    uint64_t mixed = salt_ + static_cast<uint64_t>(begun_ms) * 0x9e3779b97f4a7c15;  // SplitMix64
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    const double u = (static_cast<double>(mixed >> 32) + 1) * 0x1p-32;
    const double v = static_cast<double>(mixed & 0xffff'ffff) * 0x1p-32;
    const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
    return std::max<int64_t>(1, std::llround(habits_.median_ms * std::exp(habits_.sigma * normal)));
  }

  const Habits habits_;
  const uint64_t salt_;
  std::vector<Pause> pauses_;
};

/// A target as Watched is one: checks from start to start, the detector's own timer.
class Target {
 public:
  Target(const Backend& backend, const CheckPlan& plan, uint64_t seed)
      : backend_(backend), plan_(plan), detector_(plan, Health::kUnknown), pace_(seed) {}

  /// The next check, up to its result.  It is not answered after `dies_ms`; then it is refused at
  /// once, or only silence.
  void Check(int64_t dies_ms, bool refuses) {
    int64_t answered_ms = backend_.AnsweredAt(next_ms_);
    if (answered_ms >= dies_ms) answered_ms = kNeverMs;
    const bool passed = answered_ms - plan_.timeout_ms <= next_ms_;
    const bool refused = !passed && refuses && next_ms_ >= dies_ms;
    const int64_t over_ms = passed    ? answered_ms
                            : refused ? next_ms_ + 1
                                      : next_ms_ + plan_.timeout_ms;
    if (const int64_t suspected_ms = detector_.SuspectedAt(); suspected_ms <= over_ms) {
      if (detector_.OnSilence(suspected_ms)) NoteDown(suspected_ms);
    }
    const bool changed = passed ? detector_.OnPassed(over_ms) : detector_.OnFailed();
    if (changed && !passed) NoteDown(over_ms);
    const int64_t interval_ms = detector_.in_doubt() ? plan_.fast_interval_ms : plan_.interval_ms;
    next_ms_ = std::max(over_ms, pace_.Next(next_ms_, interval_ms));
  }

  Health health() const { return detector_.health(); }
  int64_t next_ms() const { return next_ms_; }
  int64_t down_ms() const { return down_ms_; }
  int downs() const { return downs_; }

 private:
  void NoteDown(int64_t at_ms) {
    down_ms_ = at_ms;
    ++downs_;
  }

  const Backend& backend_;
  const CheckPlan& plan_;
  Detector detector_;
  Pace pace_;
  int64_t next_ms_ = kStartMs;
  int64_t down_ms_ = 0;
  int downs_ = 0;
};

struct Outcome {
  double false_downs_a_day = 0;  // Of a backend.
  double silent_s = 0;           // From a death to down, on average: it answers nothing any more.
  double refusing_s = 0;         // Connections are refused.
};

class Pool {
 public:
  Pool(const std::vector<Backend::Habits>& habits, int64_t days, uint64_t seed) : days_(days) {
    Dice dice(seed);
    for (const Backend::Habits& each : habits) {
      backends_.emplace_back(each, kStartMs + days * kDayMs, dice);
    }
  }

  Outcome Run(const CheckPlan& plan) const {
    Outcome sum;
    int deaths = 0;
    int downs = 0;
    for (const Backend& backend : backends_) {
      Target target(backend, plan, /*seed=*/1);
      for (int64_t checks = 0; target.next_ms() < kStartMs + days_ * kDayMs; ++checks) {
        if (checks % 97 == 96 && target.health() == Health::kUp) {
          const int64_t dies_ms = target.next_ms() - 1 - (checks * 31) % plan.interval_ms;
          sum.silent_s += Detect(target, dies_ms, /*refuses=*/false);
          sum.refusing_s += Detect(target, dies_ms, /*refuses=*/true);
          ++deaths;
        }
        target.Check(kNeverMs, false);
      }
      downs += target.downs();
    }
    const auto backend_days = static_cast<double>(backends_.size()) * static_cast<double>(days_);
    return {downs / backend_days, sum.silent_s / deaths, sum.refusing_s / deaths};
  }

  /// Of the detector count: the timeout with which a silent death is noticed this soon.
  CheckPlan CountLike(double silent_s) const {
    CheckPlan plan;
    int64_t low = 100;
    int64_t high = 8'000;
    while (high - low > 10) {
      plan.timeout_ms = (low + high) / 2;
      (Run(plan).silent_s < silent_s ? low : high) = plan.timeout_ms;
    }
    return plan;
  }

 private:
  // `target` is as it was after its last check: it died since, or is not asked before.
  static double Detect(Target target, int64_t dies_ms, bool refuses) {
    const int before = target.downs();
    while (target.downs() == before) target.Check(dies_ms, refuses);
    return static_cast<double>(target.down_ms() - dies_ms) / 1000;
  }

  const int64_t days_;
  std::vector<Backend> backends_;
};

struct Comparison {
  Outcome phi;
  Outcome count;
};

class PhiRunTest : public ::testing::TestWithParam<double> {
 protected:
  static constexpr Backend::Habits kCalm{};
  // Every check takes long, and some take much longer.
  static constexpr Backend::Habits kBusy{.median_ms = 700, .sigma = 0.7};
  // Once in a quarter of an hour.
  static constexpr Backend::Habits kPausing{.pause_every_ms = 900'000, .least_pause_ms = 1000};

  static Comparison Compare(const char* pool_text, const std::vector<Backend::Habits>& habits) {
    const double threshold = GetParam();
    const Pool pool(habits, /*days=*/1, /*seed=*/20040614);
    const Outcome phi = pool.Run({.timeout_ms = 2000, .phi_threshold = threshold});
    const CheckPlan plan = pool.CountLike(phi.silent_s);
    const Outcome count = pool.Run(plan);
    Print(pool_text, "phi, threshold " + std::to_string(std::lround(threshold)), phi);
    Print(pool_text, "count, timeout " + std::to_string(plan.timeout_ms) + " ms", count);
    EXPECT_NEAR(phi.silent_s, count.silent_s, 0.1) << "not comparable";
    EXPECT_GT(phi.refusing_s, count.refusing_s + 1) << "a refusal is evidence at once";
    return {phi, count};
  }
  static void Print(const char* pool, const std::string& detector, const Outcome& outcome) {
    std::printf("| %s | %s | %.1f | %.1f s | %.1f s |\n", pool, detector.c_str(),
                outcome.false_downs_a_day, outcome.silent_s, outcome.refusing_s);
  }
};

TEST_P(PhiRunTest, CalmBackendsGainNothing) {
  const Comparison calm = Compare("all calm", {kCalm, kCalm});
  EXPECT_EQ(calm.phi.false_downs_a_day, 0);
  EXPECT_EQ(calm.count.false_downs_a_day, 0);
}

// What happens less than once in a hundred intervals is not in the history.
TEST_P(PhiRunTest, RarePausesGainNothing) {
  const Comparison rare =
      Compare("calm, a pause of 1 s or more every 15 minutes", {kPausing, kPausing});
  EXPECT_GT(rare.phi.false_downs_a_day, rare.count.false_downs_a_day / 2);
}

// One timeout fits them all, and three tries in a row beat the bet that delays are normal.
TEST_P(PhiRunTest, BackendsThatAreAllAlikeGainNothing) {
  const Comparison busy = Compare("all busy", {kBusy, kBusy});
  EXPECT_GT(busy.phi.false_downs_a_day, busy.count.false_downs_a_day);
}

// No timeout fits both; phi learns one for each.
TEST_P(PhiRunTest, UnlikeBackendsInOnePoolGain) {
  const Comparison mixed = Compare("half of them busy", {kCalm, kBusy});
  EXPECT_LT(mixed.phi.false_downs_a_day, mixed.count.false_downs_a_day / 2);
}

INSTANTIATE_TEST_SUITE_P(Thresholds, PhiRunTest, ::testing::Values(8, 12),
                         [](const auto& info) { return std::to_string(std::lround(info.param)); });

}  // namespace
}  // namespace l4lb
