// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/ejection.h"

#include <algorithm>

namespace l4lb {
namespace {

constexpr double kJitter = 0.1;

}  // namespace

bool FailureRate::Exceeds(int64_t now_ms, const Tally& tally, const EjectionRule& rule) {
  const int64_t window_ms = rule.streak.window_ms;
  const auto at = [this](size_t i) -> Sample& { return samples_[(first_ + i) % kSamples]; };
  // The oldest is the beginning of the window: the latest one that is not within it.
  while (size_ >= 2 && at(1).at_ms <= now_ms - window_ms) {
    first_ = (first_ + 1) % kSamples;
    --size_;
  }
  const bool step = size_ == 0 || now_ms - at(size_ - 1).at_ms >= window_ms / 10;
  if (step && size_ < kSamples) at(size_++) = {now_ms, tally};
  if (rule.rate_percent == 0) return false;
  const Tally& begin = at(0).tally;
  const uint64_t attempts = tally.attempts() - begin.attempts();
  const uint64_t failed = tally.failed() - begin.failed();
  // A reset belongs to a connection that may have been counted before the window.
  return attempts >= kFewest && failed * 100 >= attempts * static_cast<uint64_t>(rule.rate_percent);
}

int64_t Ejection::Begin(int64_t now_ms, const EjectionRule& rule, double chance) {
  const bool good_since = length_ms_ == 0 || now_ms - ended_ms_ >= 2 * length_ms_;
  length_ms_ = std::min(good_since ? rule.base_ms : 2 * length_ms_, rule.max_ms);
  begun_ms_ = now_ms;
  const double factor = 1 - kJitter + 2 * kJitter * chance;
  const auto with_jitter_ms = static_cast<int64_t>(static_cast<double>(length_ms_) * factor);
  until_ms_ = now_ms + std::max<int64_t>(with_jitter_ms, 1);
  ++count_;
  return until_ms_ - now_ms;
}

void Ejection::End(int64_t now_ms) {
  until_ms_ = 0;
  ended_ms_ = now_ms;
}

}  // namespace l4lb
