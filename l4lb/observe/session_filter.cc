// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/session_filter.h"

#include <algorithm>
#include <utility>

namespace l4lb {
namespace {

// Ascending: the first is shown first.
std::pair<int64_t, uint64_t> PlaceOf(const SessionStatus& session, SessionFilter::Sort sort) {
  switch (sort) {
    case SessionFilter::Sort::kId:
      break;
    case SessionFilter::Sort::kAge:
      return {-session.age_ms, session.id};
    case SessionFilter::Sort::kIdle:
      return {-session.idle_ms, session.id};
    case SessionFilter::Sort::kBytes:
      return {-static_cast<int64_t>(session.client_bytes + session.backend_bytes), session.id};
  }
  return {0, session.id};
}

}  // namespace

void SortAndCut(const SessionFilter& filter, std::vector<SessionStatus>* sessions) {
  std::sort(sessions->begin(), sessions->end(),
            [&filter](const SessionStatus& a, const SessionStatus& b) {
              return PlaceOf(a, filter.sort) < PlaceOf(b, filter.sort);
            });
  const auto limit = static_cast<size_t>(std::max<int64_t>(filter.limit, 0));
  if (sessions->size() > limit) sessions->resize(limit);
}

}  // namespace l4lb
