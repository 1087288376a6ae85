// SPDX-License-Identifier: Apache-2.0
//
// What is known of each target, for threads that ask.  The checker's thread writes.
#pragma once

#include <cstdint>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "l4lb/health/phi.h"
#include "l4lb/observe/health.h"

namespace l4lb {

/// Of one target; times of Clock::NowMs().
struct TargetState {
  CheckStatus status;      // Its next_in_ms and suspicion are not filled in.
  int64_t next_at_ms = 0;  // In the past: a check is under way, or waits for its turn.
  Rhythm rhythm;
};

/// All calls from any thread.
class StatusBoard {
 public:
  void Put(uint64_t id, const TargetState& state);
  void Erase(uint64_t id);
  absl::flat_hash_map<uint64_t, CheckStatus> Read(int64_t now_ms) const;

 private:
  mutable std::mutex mutex_;  // Of states_; one that ThreadSanitizer knows.
  absl::flat_hash_map<uint64_t, TargetState> states_;
};

}  // namespace l4lb
