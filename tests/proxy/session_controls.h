// SPDX-License-Identifier: Apache-2.0
//
// What control does to the sessions of a fuzzed world: age limits, drains, closes and listings at
// random times.  Notes what a listing or a drain got wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "l4lb/proxy/worker.h"
#include "tests/support/fake_network.h"

namespace l4lb {

class SessionControls {
 public:
  /// `counters`: of the worker's one listener, whose id is 0.
  SessionControls(FakeNetwork& network, const ListenerCounters& counters);

  static AgeLimit DrawAge(Dice& dice);
  /// Draws what is to happen.  `pool` is the worker's only one.
  void Schedule(Worker& worker, std::shared_ptr<const PoolSnapshot> pool);

  /// No session may end for a reason that is not in here, of those that control has.
  const std::set<CloseReason>& reasons() const { return reasons_; }
  /// No session can have been too old before this age.
  int64_t least_age_ms() const { return least_age_ms_; }
  const std::set<std::string>& wrong() const { return wrong_; }

 private:
  using Action = void (SessionControls::*)(Worker& worker);

  void Adopt(Worker& worker);
  void Drain(Worker& worker);
  void EndDrain(Worker& worker);
  void CloseSome(Worker& worker);
  void CloseOne(Worker& worker);
  void List(Worker& worker);

  DrainTarget DrawTarget();
  CloseReason DrawReason();
  void Know(const AgeLimit& limit);
  void ExpectNobodyLeft(Worker& worker);
  void Expect(bool holds, const char* what) {
    if (!holds) wrong_.insert(what);
  }

  FakeNetwork& network_;
  Dice& dice_;
  const ListenerCounters& counters_;
  std::shared_ptr<const PoolSnapshot> pool_;
  bool undoes_ = false;  // Drains may be ended.
  std::set<CloseReason> reasons_;
  int64_t least_age_ms_ = INT64_MAX;
  std::set<std::string> wrong_;
};

}  // namespace l4lb
