// SPDX-License-Identifier: Apache-2.0
//
// What a pump says of itself while it moves bytes.  `now_ms`: the turn's reading of the clock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "l4lb/engine/engine.h"

namespace l4lb {

inline void NoteTaken(PumpOp& op, size_t bytes, int64_t now_ms, const EngineStats& stats) {
  if (op.first_at_ms == 0) op.first_at_ms = now_ms;
  op.moved_at_ms = now_ms;
  op.taken_in_turn = static_cast<uint32_t>(stats.turns);
  op.taken += bytes;
}

inline void NoteDelivered(PumpOp& op, size_t bytes, int64_t now_ms) {
  op.moved_at_ms = now_ms;
  op.bytes += bytes;
}

}  // namespace l4lb
