// SPDX-License-Identifier: Apache-2.0
//
// Watches a Simulation and makes its Outcome.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/lab/departures.h"
#include "tools/lab/occupancy.h"
#include "tools/lab/outcome.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

class Recorder {
 public:
  static constexpr int64_t kNever = Departures::kNever;
  static constexpr int64_t kNsPerMs = 1'000'000;

  /// `samples`: how many moments of the run are kept.
  Recorder(const World& world, int samples);

  /// The last requests come before this time.
  int64_t end_ns() const { return end_ns_; }
  /// OnTime() is to be called then, before what happens at that time or later.
  int64_t next_ns() const { return next_ns_; }
  void OnTime();

  /// A request that came at `due_ns` goes to a backend, or to those that wait for it.
  void OnSent(int backend, int64_t due_ns, int64_t now_ns);
  /// It was answered, by `backend`.
  void OnAnswered(int backend, int64_t due_ns, int64_t now_ns);
  /// A request waits for a free place; `for_any`: at whatever backend, so it was not sent yet.
  void OnWait(int64_t due_ns, bool for_any);
  void OnWaitForAnyEnds() { --waiting_; }

  Outcome Finish();

 private:
  struct Backend {
    int present = 0;
    int at_half = 0;  // `present` in the middle of what is measured.
    int64_t requests = 0;
  };

  bool Measured(int64_t due_ns) const { return due_ns >= begin_ns_ && due_ns < end_ns_; }
  void OnBegin();
  void OnHalf();
  void OnEnd();
  void TakeSample();
  void DecideNext();
  bool Growing() const;

  const World& world_;
  const int64_t begin_ns_;
  const int64_t end_ns_;
  int64_t half_ns_;
  int64_t begin_due_ns_;  // begin_ns_, until it was; kNever then, as the next two.
  int64_t end_due_ns_;
  int64_t sample_every_ns_ = 0;
  int64_t sample_due_ns_ = kNever;
  int64_t next_ns_ = 0;
  std::vector<Backend> backends_;
  int64_t waiting_ = 0;  // Requests that wait for any backend.
  int64_t waiting_at_half_ = 0;
  Occupancy occupancy_;
  Sample sample_;  // The one that is being filled.
  Outcome outcome_;
};

}  // namespace l4lb::lab
