// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/detector.h"

#include <algorithm>

namespace l4lb {

Detector::Detector(const CheckPlan& plan, Health known)
    : rise_(plan.rise),
      fall_(plan.fall),
      phi_threshold_(plan.phi_threshold),
      deviations_(by_phi() ? DeviationsOf(plan.phi_threshold) : 0),
      least_deviation_ms_(std::max(100.0, static_cast<double>(plan.interval_ms) / 4)),
      health_(known) {}

bool Detector::OnPassed(int64_t now_ms) {
  Note(true);
  if (by_phi()) NoteAnswer(now_ms);
  const int needed = health_ == Health::kDown ? rise_ : 1;
  return in_a_row_ >= needed && Become(Health::kUp);
}

bool Detector::OnFailed() {
  Note(false);
  if (SuspectedAt() != kNever) return false;
  return in_a_row_ >= fall_ && Become(Health::kDown);
}

bool Detector::OnSilence(int64_t now_ms) {
  if (now_ms < SuspectedAt()) return false;
  in_a_row_ = 0;  // What passed before does not bring it back.
  return Become(Health::kDown);
}

void Detector::Excuse(int64_t ms) {
  if (rhythm_.answered_ms != 0) rhythm_.answered_ms += ms;
}

int64_t Detector::SuspectedAt() const {
  const bool judged = health_ == Health::kUp && rhythm_.known();
  return judged ? rhythm_.Reaches(deviations_) : kNever;
}

bool Detector::in_doubt() const {
  if (in_a_row_ == 0) return false;
  if (health_ == Health::kUp) {
    return !passed_ && !by_phi();  // Intervals of two kinds would say nothing.
  }
  return health_ == Health::kUnknown || passed_;
}

void Detector::Note(bool passed) {
  in_a_row_ = passed == passed_ ? in_a_row_ + 1 : 1;
  passed_ = passed;
}

bool Detector::Become(Health health) {
  if (health_ == health) return false;
  health_ = health;
  return true;
}

// An interval counts while the target is up only: what spans an outage is no rhythm.
void Detector::NoteAnswer(int64_t now_ms) {
  const bool first = rhythm_.answered_ms == 0;
  if (!first && health_ == Health::kUp) intervals_.Add(now_ms - rhythm_.answered_ms);
  rhythm_.answered_ms = now_ms;
  if (!intervals_.enough()) return;
  rhythm_.mean_ms = intervals_.mean_ms();
  rhythm_.deviation_ms = std::max(intervals_.deviation_ms(), least_deviation_ms_);
}

}  // namespace l4lb
