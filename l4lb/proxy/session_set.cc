// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/session_set.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "l4lb/proxy/session.h"

namespace l4lb {

void CloseIdlest(std::vector<IdleSession>& sessions, int64_t count, CloseReason reason) {
  const auto size = static_cast<int64_t>(sessions.size());
  const auto end = sessions.begin() + std::clamp<int64_t>(count, 0, size);
  if (end != sessions.end()) {
    std::nth_element(
        sessions.begin(), end, sessions.end(),
        [](const IdleSession& a, const IdleSession& b) { return a.moved_ms < b.moved_ms; });
  }
  std::for_each(sessions.begin(), end,
                [reason](const IdleSession& idle) { idle.session->Close(reason); });
}

int64_t CloseIdlest(SessionSet& sessions, absl::Span<const Surplus> surplus, CloseReason reason) {
  absl::flat_hash_map<const Backend*, std::vector<IdleSession>> by_backend;
  for (const Surplus& wanted : surplus) by_backend[wanted.backend];
  sessions.ForEach([&by_backend](Session& session) {
    if (session.ending() || session.phase() != Phase::data) return;
    const auto found = by_backend.find(session.backend());
    if (found != by_backend.end()) found->second.push_back({session.LastMovedMs(), &session});
  });
  int64_t closed = 0;
  for (const Surplus& wanted : surplus) {
    std::vector<IdleSession>& idle = by_backend[wanted.backend];
    closed += std::clamp<int64_t>(wanted.count, 0, static_cast<int64_t>(idle.size()));
    CloseIdlest(idle, wanted.count, reason);
  }
  return closed;
}

int64_t CloseSessionsOf(SessionSet& sessions, const Backend& backend, CloseReason reason) {
  int64_t closed = 0;
  sessions.ForEach([&](Session& session) {
    if (session.ending() || session.backend() != &backend) return;
    session.Close(reason);
    ++closed;
  });
  return closed;
}

bool CloseSession(SessionSet& sessions, uint64_t id, CloseReason reason) {
  bool closed = false;
  sessions.ForEach([&](Session& session) {
    if (session.ending() || session.id() != id) return;
    session.Close(reason);
    closed = true;
  });
  return closed;
}

}  // namespace l4lb
