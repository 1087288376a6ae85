// SPDX-License-Identifier: Apache-2.0
#include "tests/proxy/session_controls.h"

#include <algorithm>

namespace l4lb {
namespace {

constexpr int64_t kLateMs = 60;  // A step of a drain may come that late.

}  // namespace

SessionControls::SessionControls(FakeNetwork& network, const ListenerCounters& counters)
    : network_(network), dice_(network.dice()), counters_(counters) {}

AgeLimit SessionControls::DrawAge(Dice& dice) {
  if (dice.Chance(0.3)) return {};
  return {.age_ms = dice.Between(1, 2'000),
          .jitter_percent = static_cast<int>(dice.Between(0, 90)),
          .quiet_ms = dice.Between(1, 200),
          .grace_ms = dice.Between(0, 1'000)};
}

void SessionControls::Schedule(Worker& worker, std::shared_ptr<const PoolSnapshot> pool) {
  pool_ = std::move(pool);
  Know(pool_->max_age);
  undoes_ = dice_.Chance(0.5);
  static constexpr Action kActions[] = {&SessionControls::Adopt,     &SessionControls::Drain,
                                        &SessionControls::CloseSome, &SessionControls::CloseOne,
                                        &SessionControls::List,      &SessionControls::EndDrain};
  for (int64_t count = dice_.Between(1, 15); count > 0; --count) {
    const Action action = kActions[dice_.Below(std::size(kActions) - (undoes_ ? 0 : 1))];
    network_.At(network_.clock().NowMs() + dice_.Between(0, 2'000), [this, &worker, action] {
      worker.Post([this, action](Worker& on) { (this->*action)(on); });
    });
  }
}

void SessionControls::Know(const AgeLimit& limit) {
  if (limit.age_ms == 0) return;
  reasons_.insert(CloseReason::max_age);
  least_age_ms_ = std::min(least_age_ms_, limit.age_ms * (100 - limit.jitter_percent) / 100);
}

void SessionControls::Adopt(Worker& worker) {
  auto snapshot = std::make_shared<PoolSnapshot>(*pool_);
  snapshot->max_age = DrawAge(dice_);
  Know(snapshot->max_age);
  worker.Adopt(0, std::move(snapshot));
}

DrainTarget SessionControls::DrawTarget() {
  if (dice_.Chance(0.6))
    return {.backend = pool_->members[dice_.Below(pool_->members.size())].backend};
  if (dice_.Chance(0.5)) return {.listener = dice_.Below(2)};
  return {};
}

CloseReason SessionControls::DrawReason() {
  static constexpr CloseReason kReasons[] = {CloseReason::rebalanced, CloseReason::drained,
                                             CloseReason::backend_down, CloseReason::admin_closed};
  return *reasons_.insert(kReasons[dice_.Below(std::size(kReasons))]).first;
}

void SessionControls::Drain(Worker& worker) {
  const DrainOrder order{.target = DrawTarget(),
                         .timeout_ms = dice_.Between(0, 1'000),
                         .spread_ms = dice_.Chance(0.5) ? 0 : dice_.Between(0, 1'500),
                         .reason = DrawReason()};
  worker.Drain(order);
  if (undoes_ || order.target.backend != nullptr || order.target.listener.value_or(0) != 0) return;
  network_.At(network_.clock().NowMs() + order.timeout_ms + kLateMs,
              [this, &worker] { worker.Post([this](Worker& on) { ExpectNobodyLeft(on); }); });
}

void SessionControls::ExpectNobodyLeft(Worker& worker) {
  worker.sessions().ForEach([this](Session& session) {
    Expect(session.ending(), "a session goes on after the end of a drain");
  });
}

void SessionControls::EndDrain(Worker& worker) { worker.EndDrain(DrawTarget()); }

void SessionControls::CloseSome(Worker& worker) {
  const Backend& backend = *pool_->members[dice_.Below(pool_->members.size())].backend;
  const int64_t active = backend.active();
  const int64_t closed =
      dice_.Chance(0.5)
          ? CloseSessionsOf(worker.sessions(), backend, DrawReason())
          : CloseIdlest(worker.sessions(), {{&backend, dice_.Between(0, 5)}}, DrawReason());
  Expect(closed <= active, "more sessions were closed than a backend had");
}

void SessionControls::CloseOne(Worker& worker) {
  std::vector<SessionStatus> sessions;
  ListSessions(worker.sessions(), {}, &sessions);
  const uint64_t id = sessions.empty() ? 1 : sessions[dice_.Below(sessions.size())].id;
  const bool closed = CloseSession(worker.sessions(), id, DrawReason());
  Expect(closed <= !sessions.empty(), "a session was closed that is not there");
}

void SessionControls::List(Worker& worker) {
  const SessionFilter filter{.backend = dice_.Chance(0.3) ? "b0" : "",
                             .older_than_ms = dice_.Chance(0.3) ? dice_.Between(0, 500) : 0,
                             .idle_for_ms = dice_.Chance(0.3) ? dice_.Between(0, 500) : 0,
                             .sort = static_cast<SessionFilter::Sort>(dice_.Below(4)),
                             .limit = dice_.Between(0, 12)};
  std::vector<SessionStatus> sessions;
  const int64_t matching = ListSessions(worker.sessions(), filter, &sessions);
  const auto active = static_cast<int64_t>(counters_.accepted.Get() - counters_.closed.Get());
  Expect(static_cast<int64_t>(sessions.size()) == std::min(matching, filter.limit),
         "a listing has not as many as match");
  Expect(matching <= active, "a listing has more than there are");
  SessionFilter all{.limit = 1};
  std::vector<SessionStatus> ignored;
  Expect(ListSessions(worker.sessions(), all, &ignored) == active, "a listing misses some");
  std::vector<SessionStatus> sorted = sessions;
  SortAndCut(filter, &sorted);
  std::set<uint64_t> ids;
  for (size_t i = 0; i < sessions.size(); ++i) {
    Expect(sessions[i].id == sorted[i].id, "a listing is not in order");
    Expect(ids.insert(sessions[i].id).second, "a listing has one twice");
    Expect(sessions[i].age_ms >= filter.older_than_ms && sessions[i].idle_ms >= filter.idle_for_ms,
           "a listing has one that does not match");
  }
}

}  // namespace l4lb
