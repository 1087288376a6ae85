// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/closer.h"

#include <algorithm>
#include <cmath>

#include "l4lb/proxy/session.h"

namespace l4lb {

Closer::Closer(const Place& place) : place_(place) {
  timer_.owner = this;
  timer_.expired = [](Timer& timer) {
    static_cast<Closer*>(static_cast<OwnedTimer&>(timer).owner)->Step();
  };
}

Closer::~Closer() { place_.timers.Disarm(timer_); }

Closer::Order Closer::Make(const DrainOrder& order, int64_t now_ms) {
  Order made{.order = order};
  made.end_ms = now_ms + std::max<int64_t>(order.timeout_ms, 0);
  made.begin_ms = std::max(now_ms, made.end_ms - std::max<int64_t>(order.spread_ms, 0));
  return made;
}

int64_t Closer::Order::StepMs() const {
  return std::clamp((end_ms - begin_ms) / kMostSteps, kLeastStepMs, kLongestStepMs);
}

int64_t Closer::Order::NextAt(int64_t now_ms) const {
  if (over) return TimerWheel::kNever;
  return now_ms < begin_ms ? begin_ms : std::min(end_ms, now_ms + StepMs());
}

std::unique_ptr<Closer::Order>& Closer::OrderFor(const DrainTarget& target) {
  if (target.backend != nullptr) return backends_[target.backend.get()];
  return target.listener ? listeners_[*target.listener] : all_;
}

void Closer::Drain(const DrainOrder& order) {
  const int64_t now_ms = place_.engine.now_ms();
  Order made = Make(order, now_ms);
  std::unique_ptr<Order>& known = OrderFor(order.target);
  if (known && (known->over || known->end_ms <= made.end_ms)) return;
  known = std::make_unique<Order>(std::move(made));
  Rearm(now_ms);
}

void Closer::EndDrain(const DrainTarget& target) {
  std::unique_ptr<Order>& known = OrderFor(target);
  if (known && known->over) --over_;
  known.reset();
  if (target.backend != nullptr) {
    backends_.erase(target.backend.get());
  } else if (target.listener) {
    listeners_.erase(*target.listener);
  }
}

void Closer::ForEachOrder(absl::FunctionRef<void(Order&)> visit) {
  if (all_) visit(*all_);
  for (auto& [id, order] : listeners_) visit(*order);
  for (auto& [backend, order] : backends_) visit(*order);
}

void Closer::ForEachOrderOf(const Session& session, absl::FunctionRef<void(Order&)> visit) {
  if (all_) visit(*all_);
  const auto listener = listeners_.find(session.host().id());
  if (listener != listeners_.end()) visit(*listener->second);
  const auto backend = backends_.find(session.backend());
  if (backend != backends_.end()) visit(*backend->second);
}

void Closer::CloseIfOver(Session& session) {
  ForEachOrderOf(session, [&session](Order& order) {
    if (order.over) session.Close(order.order.reason);
  });
}

void Closer::Step() {
  const int64_t now_ms = stepped_ms_ = place_.engine.now_ms();
  Forget();
  Find(now_ms);
  ForEachOrder([this, now_ms](Order& order) {
    if (!order.over && now_ms >= order.begin_ms) Thin(order, now_ms);
  });
  Rearm(now_ms);
}

void Closer::Find(int64_t now_ms) {
  bool any = false;
  ForEachOrder([&](Order& order) { any |= !order.over && now_ms >= order.begin_ms; });
  if (!any) return;
  place_.sessions.ForEach([this, now_ms](Session& session) {
    if (session.ending()) return;
    ForEachOrderOf(session, [&session, now_ms](Order& order) {
      if (order.over || now_ms < order.begin_ms) return;
      order.found.push_back({session.LastMovedMs(), &session});
    });
  });
}

// How many may be left falls evenly from those that were there at the first step to none.  Who
// ended by himself or came meanwhile makes it fewer or more, for the rest of the time.
void Closer::Thin(Order& order, int64_t now_ms) {
  const auto count = static_cast<int64_t>(order.found.size());
  if (now_ms >= order.end_ms) {
    CloseIdlest(order.found, count, order.order.reason);
    order.over = true;
    ++over_;
  } else {
    const int64_t from_ms = order.stepped_ms < 0 ? order.begin_ms : order.stepped_ms;
    order.allowed += static_cast<double>(count - order.expected);
    order.allowed *=
        static_cast<double>(order.end_ms - now_ms) / static_cast<double>(order.end_ms - from_ms);
    const auto leave = static_cast<int64_t>(std::floor(order.allowed + place_.share));
    order.expected = std::clamp<int64_t>(leave, 0, count);
    CloseIdlest(order.found, count - order.expected, order.order.reason);
    order.stepped_ms = now_ms;
  }
  order.found.clear();
}

// A backend without a lease gets no session any more.
void Closer::Forget() {
  absl::erase_if(backends_, [this](const auto& entry) {
    const Order& order = *entry.second;
    const bool forget = order.order.target.backend->active() == 0;
    if (forget && order.over) --over_;
    return forget;
  });
}

void Closer::Rearm(int64_t now_ms) {
  int64_t next_ms = TimerWheel::kNever;
  ForEachOrder([&](const Order& order) { next_ms = std::min(next_ms, order.NextAt(now_ms)); });
  if (!backends_.empty()) next_ms = std::min(next_ms, now_ms + kForgetMs);
  if (next_ms == TimerWheel::kNever) return place_.timers.Disarm(timer_);
  place_.timers.Arm(timer_, std::max(next_ms, stepped_ms_ + kLeastStepMs));
}

}  // namespace l4lb
