// SPDX-License-Identifier: Apache-2.0
//
// All targets of a checker, on its thread, over its engine: who is checked when.  The checker calls
// Work() and Wait() in turn, and the other methods between them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "l4lb/engine/engine.h"
#include "l4lb/engine/timer_wheel.h"
#include "l4lb/health/check.h"
#include "l4lb/health/checker.h"
#include "l4lb/health/pace.h"
#include "l4lb/health/status_board.h"
#include "l4lb/health/watched.h"

namespace l4lb {

struct CheckLoopOptions {
  int most_in_flight = 256;
  uint64_t seed = 1;
  std::function<void(const CheckNews& news)> on_news;
};

class CheckLoop final : private Watched::Keeper {
 public:
  /// Both outlive it.
  CheckLoop(Engine& engine, StatusBoard& board, CheckLoopOptions options);
  ~CheckLoop();  // Ends all that is in flight: some turns, and the engine must still work.

  void Wait();  // Until something is to be done.
  void Work();  // Does it.

  // As of Checker.
  void Add(uint64_t id, CheckTarget target);
  void Remove(uint64_t id);
  void WantGoodChecks(uint64_t id, bool wanted);
  void SetMostInFlight(int most) { most_in_flight_ = most; }

  int in_flight() const { return in_flight_; }

 private:
  void OnDue(Watched& watched) override { due_.push_back(&watched); }
  void NoticeStall() override;
  void OnNews(const CheckNews& news) override;
  void OnNotMade(const std::string& reason) override;
  void OnCheckOver(Watched& watched) override;

  void BeginDue();
  void Retire();

  Engine& engine_;
  CheckLoopOptions options_;
  int most_in_flight_;
  int in_flight_ = 0;
  int64_t turn_ms_ = 0;     // When the wait began,
  int64_t wake_at_ms_ = 0;  // and when it was to end.
  TimerWheel timers_;
  std::vector<char> dropped_;
  CheckContext context_;
  Pace pace_;
  const Watched::Shared shared_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Watched>> targets_;
  std::deque<Watched*> due_;                       // First come, first served.
  std::vector<std::unique_ptr<Watched>> leaving_;  // Until their sockets are closed.
};

}  // namespace l4lb
