// SPDX-License-Identifier: Apache-2.0
//
// The log of events for people (stderr, by glog).  Workers never call LOG: they post here, and one
// thread writes.  Each kind of event has its own rate limit; what is held back is counted and
// mentioned with the next line of its kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "l4lb/net/clock.h"

namespace l4lb {

// X(name, severity)
#define L4LB_EVENTS(X)       \
  X(connect_failed, WARNING) \
  X(accept_paused, WARNING)  \
  X(no_backend, WARNING)     \
  X(limit, WARNING)          \
  X(queue, WARNING)          \
  X(no_port, ERROR)          \
  X(access_log, ERROR)       \
  X(internal, ERROR)

enum class Event : uint8_t {
#define L4LB_ENUM(name, severity) name,
  L4LB_EVENTS(L4LB_ENUM)
#undef L4LB_ENUM
};

class EventLog {
 public:
  virtual ~EventLog() = default;
  /// Any thread; never blocks on output.  At most 5 lines per second of a kind, 1,024 lines
  /// waiting; the rest is counted.  Texts over 240 bytes are cut.
  virtual void Post(Event event, std::string_view text) = 0;
  /// Lines held back or dropped so far.
  virtual uint64_t suppressed() const = 0;
};

/// For tests; by default the clock is the real one and lines go to glog.
struct EventLogOptions {
  const Clock* clock = nullptr;
  std::function<void(Event event, std::string_view line)> write;
};

/// Starts the writing thread; the destructor writes what waits, what was held back included, and
/// ends it.  It waits 1 s at most for an output that is stuck.
std::unique_ptr<EventLog> MakeEventLog(EventLogOptions options = {});

std::string_view Name(Event event);

}  // namespace l4lb
