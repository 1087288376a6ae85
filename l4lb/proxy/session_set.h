// SPDX-License-Identifier: Apache-2.0
//
// All live sessions of a worker, and what can be done to some of them.  Everything here is O(all
// sessions), once per call, and runs on the worker's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "l4lb/backend/backend.h"
#include "l4lb/observe/close_reason.h"
#include "l4lb/observe/session_filter.h"

namespace l4lb {

class Session;

class SessionSet {
 public:
  virtual ~SessionSet() = default;
  /// In any order.  `visit` may close sessions.
  virtual void ForEach(absl::FunctionRef<void(Session& session)> visit) = 0;
};

/// A session that may be closed for being idle: most idle first.
struct IdleSession {
  int64_t moved_ms;  // When a byte last moved.
  Session* session;
};

/// Closes `count` of them, those for which no byte moved for the longest time; reorders them.
void CloseIdlest(std::vector<IdleSession>& sessions, int64_t count, CloseReason reason);

/// How many sessions of a backend are to be closed.
struct Surplus {
  const Backend* backend;
  int64_t count;
};

/// Of each backend its idlest, of those that exchange data and are not ending already.  Returns how
/// many there were to close.
int64_t CloseIdlest(SessionSet& sessions, absl::Span<const Surplus> surplus, CloseReason reason);
/// Those that connect included.  Returns how many.
int64_t CloseSessionsOf(SessionSet& sessions, const Backend& backend, CloseReason reason);
/// False when there is none of this id, or it is ending already.
bool CloseSession(SessionSet& sessions, uint64_t id, CloseReason reason);

/// Appends the first `filter.limit` that match, in the filter's order.  Returns how many match in
/// all.
int64_t ListSessions(SessionSet& sessions, const SessionFilter& filter,
                     std::vector<SessionStatus>* found);

}  // namespace l4lb
