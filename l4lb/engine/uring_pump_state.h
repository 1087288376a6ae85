// SPDX-License-Identifier: Apache-2.0
//
// What UringEngine keeps of a pump, in its scratch.
#pragma once

#include <cstdint>

#include "l4lb/engine/bulk_mode.h"
#include "l4lb/engine/uring_engine.h"

namespace l4lb {

struct UringEngine::PumpState {
  enum class Held : uint8_t { kNothing, kPrefix, kBuffer, kPipe };
  // In flight.
  static constexpr uint8_t kReceive = 1;
  static constexpr uint8_t kSend = 2;
  static constexpr uint8_t kReadable = 4;

  // What it holds: nothing while it is idle.
  union {
    const char* prefix = nullptr;
    char* buffer;  // Number `buffer_id`; kept between turns only with bytes in it, or when it was
                   // just handed over.
    Pipe* pipe;    // From splicer_, while it has bytes in it.
  };
  uint32_t begin = 0;  // Of the bytes read and not yet delivered, in prefix or buffer.
  uint32_t size = 0;   // How many these are.
  uint16_t buffer_id = 0;
  Held held = Held::kNothing;
  uint8_t requests = 0;
  BulkMode mode;
  bool at_end : 1 = false;      // `from` gave its FIN, or what is in op.error.
  bool ending : 1 = false;      // How it ends is decided; it waits for its requests to complete.
  bool cancelling : 1 = false;  // These have been cancelled.
  bool large : 1 = false;       // The last receive brought no small message.
  bool drained : 1 = false;     // The last receive left nothing behind.
  bool readable : 1 = false;    // In bulk mode: a splice may find something.
  bool polled : 1 = false;      // The kernel has just said so.

  bool holds() const { return size > 0 || held == Held::kPipe; }
  const char* bytes() const { return (held == Held::kPrefix ? prefix : buffer) + begin; }
};

}  // namespace l4lb
