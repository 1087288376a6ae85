// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/check_loop.h"

#include <algorithm>
#include <utility>

#include "glog/logging.h"

namespace l4lb {
namespace {

// A turn that is so late was stopped, or starved of processor time.  No target can help that, and
// many would fail together.
constexpr int64_t kStallMs = 100;

}  // namespace

CheckLoop::CheckLoop(Engine& engine, StatusBoard& board, CheckLoopOptions options)
    : engine_(engine),
      options_(std::move(options)),
      most_in_flight_(options_.most_in_flight),
      timers_((engine.Poll(0), engine.now_ms())),  // Its first reading of the clock.
      dropped_(CheckContext::kDropBytes),
      context_{engine, timers_, dropped_.data()},
      pace_(options_.seed),
      shared_{context_, pace_, board, *this} {}

CheckLoop::~CheckLoop() {
  while (!targets_.empty()) Remove(targets_.begin()->first);
  for (Watched* each : due_) each->Forget();
  due_.clear();
  while (in_flight_ > 0) {
    Wait();
    Work();
  }
}

void CheckLoop::Wait() {
  turn_ms_ = engine_.now_ms();
  wake_at_ms_ = std::max(timers_.NextAt(), turn_ms_);
  engine_.Poll(wake_at_ms_);
  NoticeStall();
}

// Answers that lie in the kernel come before deadlines.
void CheckLoop::Work() {
  timers_.Advance(engine_.now_ms());
  BeginDue();
  Retire();
}

void CheckLoop::Add(uint64_t id, CheckTarget target) {
  auto& place = targets_[id];
  CHECK(place == nullptr) << "target " << id << " is checked already";
  place = std::make_unique<Watched>(shared_, id, std::move(target));
}

void CheckLoop::Remove(uint64_t id) {
  auto found = targets_.find(id);
  if (found == targets_.end()) return;
  leaving_.push_back(std::move(found->second));
  targets_.erase(found);
  leaving_.back()->Leave();
}

void CheckLoop::WantGoodChecks(uint64_t id, bool wanted) {
  if (auto found = targets_.find(id); found != targets_.end()) {
    found->second->WantGoodChecks(wanted);
  }
}

void CheckLoop::OnNews(const CheckNews& news) {
  if (options_.on_news) options_.on_news(news);
}

void CheckLoop::OnNotMade(const std::string& reason) {
  LOG_EVERY_T(WARNING, 10) << "a health check could not be made: " << reason;
}

void CheckLoop::OnCheckOver(Watched&) { --in_flight_; }

// When it stood still since the last turn began, nobody knows: all of that time counts as lost.
void CheckLoop::NoticeStall() {
  const int64_t late_ms = engine_.now_ms() - wake_at_ms_;
  if (late_ms < kStallMs) return;
  LOG_EVERY_T(WARNING, 10) << "health checks stood still for " << late_ms << " ms";
  const Stall stall{late_ms, engine_.now_ms() - turn_ms_};
  turn_ms_ = wake_at_ms_ = engine_.now_ms();
  for (auto& [id, watched] : targets_) watched->Excuse(stall);
}

void CheckLoop::BeginDue() {
  while (in_flight_ < most_in_flight_ && !due_.empty()) {
    Watched& first = *due_.front();
    due_.pop_front();
    if (first.leaving()) {
      first.Forget();
      continue;
    }
    ++in_flight_;
    first.Begin();
  }
}

void CheckLoop::Retire() {
  std::erase_if(leaving_, [](const auto& each) { return !each->checking() && !each->due(); });
}

}  // namespace l4lb
