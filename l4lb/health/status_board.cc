// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/status_board.h"

#include <algorithm>

namespace l4lb {

void StatusBoard::Put(uint64_t id, const TargetState& state) {
  const std::lock_guard lock(mutex_);
  states_[id] = state;
}

void StatusBoard::Erase(uint64_t id) {
  const std::lock_guard lock(mutex_);
  states_.erase(id);
}

absl::flat_hash_map<uint64_t, CheckStatus> StatusBoard::Read(int64_t now_ms) const {
  const std::lock_guard lock(mutex_);
  absl::flat_hash_map<uint64_t, CheckStatus> all;
  all.reserve(states_.size());
  for (const auto& [id, state] : states_) {
    CheckStatus& status = all[id];
    status = state.status;
    status.next_in_ms = std::max<int64_t>(0, state.next_at_ms - now_ms);
    status.suspicion = state.rhythm.Suspicion(now_ms);
  }
  return all;
}

}  // namespace l4lb
