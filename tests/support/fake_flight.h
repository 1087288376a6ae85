// SPDX-License-Identifier: Apache-2.0
//
// What FakeEngine knows of one op in flight.  Private to FakeEngine.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/fake_engine.h"

namespace l4lb {

struct FakeEngine::Flight {
  explicit Flight(Op& started) : op(&started), kind(started.kind), done(started.done) {}

  Op* const op;
  // As they were at the start: whoever changes them, or frees the op, breaks the contract.
  const Op::Kind kind;
  void (*const done)(Op& op);

  bool ended = false;
  int error = 0;
  uint64_t done_turn = 0;  // Once it has ended.
  bool cancelled = false;
  uint64_t cancel_turn = 0;  // When the cancel takes effect.

  // Connect.
  int64_t connect_at_ms = 0;
  int connect_error = 0;

  // Pump.
  std::string held;
  bool has_buffer = false;
  bool queued_for_buffer = false;
};

}  // namespace l4lb
