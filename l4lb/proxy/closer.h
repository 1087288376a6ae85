// SPDX-License-Identifier: Apache-2.0
//
// Drains: closes the sessions of a worker, of one listener or of one backend that have not ended by
// themselves until a given time.  In the last part of that time, the spread, sessions are closed
// evenly, those first for which no byte moved for the longest time, so that clients do not all
// connect anew at once; who comes later than that, or was handed over late, is closed at the end.
//
// One timer serves all drains.  Each step looks at every session once, whatever the number of
// drains, and there are a few steps a second, so that the cost is bounded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "l4lb/backend/backend.h"
#include "l4lb/engine/engine.h"
#include "l4lb/engine/timer_wheel.h"
#include "l4lb/observe/close_reason.h"
#include "l4lb/proxy/session_set.h"

namespace l4lb {

/// Whose sessions: of all listeners unless one is named, or of the backend.
struct DrainTarget {
  std::optional<uint32_t> listener;  // Its id.
  std::shared_ptr<const Backend> backend;
};

struct DrainOrder {
  DrainTarget target;  // It takes no new sessions any more.
  int64_t timeout_ms = 0;
  int64_t spread_ms = 0;  // At most the timeout counts.  0: all are closed at its end.
  CloseReason reason = CloseReason::drained;
};

class Closer {
 public:
  /// `share`: of this worker, between 0 and 1, each worker another: with one session at each, they
  /// do not end at the same time either.
  struct Place {
    Engine& engine;
    TimerWheel& timers;
    SessionSet& sessions;
    double share;
  };

  explicit Closer(const Place& place);
  ~Closer();
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;

  /// Of a target that is drained already the order stays that ends first.
  void Drain(const DrainOrder& order);
  /// Sessions that were not closed yet stay.  Without effect when there is no such drain; that of a
  /// backend is forgotten when it has no session any more.
  void EndDrain(const DrainTarget& target);
  /// A session has begun, or has a lease now: it is closed if it came after the end of a drain.
  void Review(Session& session) {
    if (over_ > 0) CloseIfOver(session);
  }

 private:
  struct Order {
    DrainOrder order;
    int64_t begin_ms = 0;  // Of the spread.
    int64_t end_ms = 0;
    int64_t stepped_ms = -1;         // The last step; negative: none yet.
    int64_t expected = 0;            // Sessions that it left.
    double allowed = 0;              // The same without rounding.
    bool over = false;               // All were closed.
    std::vector<IdleSession> found;  // In this step.

    int64_t StepMs() const;
    int64_t NextAt(int64_t now_ms) const;
  };

  static constexpr int64_t kMostSteps = 20;  // Of one drain, unless its steps became too long.
  static constexpr int64_t kLeastStepMs = 50;
  static constexpr int64_t kLongestStepMs = 250;
  static constexpr int64_t kForgetMs = 1'000;  // Between looks at what backends have left.

  static Order Make(const DrainOrder& order, int64_t now_ms);
  std::unique_ptr<Order>& OrderFor(const DrainTarget& target);
  void ForEachOrder(absl::FunctionRef<void(Order&)> visit);
  void ForEachOrderOf(const Session& session, absl::FunctionRef<void(Order&)> visit);
  void CloseIfOver(Session& session);
  void Step();
  void Find(int64_t now_ms);
  void Thin(Order& order, int64_t now_ms);
  void Forget();
  void Rearm(int64_t now_ms);

  const Place place_;
  OwnedTimer timer_;
  int64_t stepped_ms_ = INT64_MIN / 2;
  int over_ = 0;  // Orders that are.
  std::unique_ptr<Order> all_;
  absl::flat_hash_map<uint32_t, std::unique_ptr<Order>> listeners_;
  absl::flat_hash_map<const Backend*, std::unique_ptr<Order>> backends_;
};

}  // namespace l4lb
