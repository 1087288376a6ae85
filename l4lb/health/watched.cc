// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/watched.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "glog/logging.h"

namespace l4lb {
namespace {

std::string Checks(int count) { return count == 1 ? "1 check" : absl::StrCat(count, " checks"); }

}  // namespace

Watched::Watched(const Shared& shared, uint64_t id, CheckTarget target)
    : shared_(shared),
      id_(id),
      target_(std::move(target)),
      detector_(*target_.plan, target_.health),
      check_(shared.context, *this),
      planned_ms_(Pace::Ticked(now_ms() + std::max<int64_t>(0, target_.first_in_ms),
                               target_.plan->interval_ms)) {
  next_.owner = silence_.owner = this;
  next_.expired = [](Timer& timer) {
    static_cast<Watched*>(static_cast<OwnedTimer&>(timer).owner)->OnTime();
  };
  silence_.expired = [](Timer& timer) {
    static_cast<Watched*>(static_cast<OwnedTimer&>(timer).owner)->OnSilence();
  };
  shared_.context.timers.Arm(next_, planned_ms_);
  Publish();
}

Watched::~Watched() {
  DCHECK(!checking() && !due_);
  shared_.context.timers.Disarm(next_);
  shared_.context.timers.Disarm(silence_);
}

void Watched::OnTime() {
  due_ = true;
  shared_.keeper.OnDue(*this);
}

void Watched::Begin() {
  due_ = false;
  detector_.Excuse(std::max<int64_t>(0, now_ms() - planned_ms_));
  AwaitAnswer();
  check_.Begin(target_.address, *target_.plan);
}

void Watched::Leave() {
  leaving_ = true;
  shared_.context.timers.Disarm(next_);
  shared_.context.timers.Disarm(silence_);
  shared_.board.Erase(id_);
  check_.GiveUp();
}

void Watched::Excuse(const Stall& stall) {
  if (next_.armed() && stall.late_ms >= target_.plan->interval_ms) {
    // All are overdue, and would begin together from now on.
    planned_ms_ += stall.late_ms;
    shared_.context.timers.Arm(next_, planned_ms_);
  } else {
    // What is due begins at once.  Begin() need not excuse this part of its delay again.
    planned_ms_ = std::max(planned_ms_, std::min(planned_ms_ + stall.late_ms, now_ms()));
  }
  detector_.Excuse(stall.lost_ms);
  AwaitAnswer();
  check_.Extend(stall.lost_ms);
  Publish();
}

void Watched::OnVerdict(const CheckResult& result) {
  shared_.keeper.NoticeStall();
  if (result.kind == CheckResult::Kind::kNotMade) {
    ++state_.status.not_made;
    PlanNext();
    detector_.Excuse(planned_ms_ - check_.begun_ms());
    AwaitAnswer();
    Publish();
    return shared_.keeper.OnNotMade(result.reason);
  }
  const bool passed = result.kind == CheckResult::Kind::kPassed;
  Count(result);
  const bool changed = Judge(passed);
  PlanNext();
  AwaitAnswer();
  Publish();
  if (changed || (passed && wants_good_)) Tell(changed, passed, Said(result));
}

void Watched::OnOver() {
  if (!leaving_) {
    planned_ms_ = std::max(planned_ms_, now_ms());  // It took longer than the interval.
    shared_.context.timers.Arm(next_, planned_ms_);
  }
  shared_.keeper.OnCheckOver(*this);
}

void Watched::OnSilence() {
  if (due_) return;  // It was not even asked.  Begin() will say how late we were.
  if (!detector_.OnSilence(now_ms())) return AwaitAnswer();
  Publish();
  const Rhythm& rhythm = detector_.rhythm();
  Tell(true, false,
       absl::StrFormat("no check passed for %d ms: suspicion %.1f", now_ms() - rhythm.answered_ms,
                       rhythm.Suspicion(now_ms())));
}

void Watched::Count(const CheckResult& result) {
  CheckStatus& status = state_.status;
  status.last_passed = result.kind == CheckResult::Kind::kPassed;
  ++(status.last_passed ? status.passed : status.failed);
  status.last_reason = result.reason;
  status.last_latency_us = result.latency_us;
  status.last_unix_ms = absl::ToUnixMillis(absl::Now());
}

bool Watched::Judge(bool passed) {
  return passed ? detector_.OnPassed(now_ms()) : detector_.OnFailed();
}

void Watched::PlanNext() {
  const CheckPlan& plan = *target_.plan;
  const int64_t interval_ms = detector_.in_doubt() ? plan.fast_interval_ms : plan.interval_ms;
  planned_ms_ = shared_.pace.Next(check_.begun_ms(), interval_ms);
}

void Watched::AwaitAnswer() {
  const int64_t suspected_ms = detector_.SuspectedAt();
  if (suspected_ms == Detector::kNever) {
    shared_.context.timers.Disarm(silence_);
  } else {
    shared_.context.timers.Arm(silence_, suspected_ms);
  }
}

void Watched::Publish() {
  state_.status.health = detector_.health();
  state_.next_at_ms = planned_ms_;
  state_.rhythm = detector_.rhythm();
  shared_.board.Put(id_, state_);
}

void Watched::Tell(bool changed, bool passed, std::string text) {
  shared_.keeper.OnNews(
      {id_, detector_.health(), changed, passed, check_.begun_ms(), std::move(text)});
}

// "3 checks failed, the last: connection refused"
std::string Watched::Said(const CheckResult& result) const {
  const int count = detector_.in_a_row();
  if (result.kind == CheckResult::Kind::kPassed) return absl::StrCat(Checks(count), " passed");
  return absl::StrCat(Checks(count), " failed", count == 1 ? ": " : ", the last: ", result.reason);
}

}  // namespace l4lb
