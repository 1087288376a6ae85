// SPDX-License-Identifier: Apache-2.0
//
// The list of live sessions that the API shows.  Texts are made only for those that are returned:
// all others cost a few comparisons.
#include <algorithm>
#include <optional>
#include <string>

#include "l4lb/net/socket_address.h"
#include "l4lb/proxy/session.h"
#include "l4lb/proxy/session_set.h"

namespace l4lb {
namespace {

struct Found {
  int64_t place;  // In the list: ascending.
  Session* session;

  friend bool operator<(const Found& a, const Found& b) {
    return a.place != b.place ? a.place < b.place : a.session->id() < b.session->id();
  }
};

class Matcher {
 public:
  Matcher(const SessionFilter& filter, int64_t now_ms) : filter_(filter), now_ms_(now_ms) {
    if (filter.client.empty()) return;
    SocketAddress address;
    std::string error;
    impossible_ =
        filter.client != "unix" && !SocketAddress::ParseHost(filter.client, &address, &error);
    client_ = IpEndpoint(address);
  }

  bool Matches(const Session& session) {
    if (impossible_ || !HostMatches(session.host())) return false;
    if (client_ && (session.client().ip != client_->ip || session.client().empty != client_->empty))
      return false;
    if (!filter_.backend.empty() &&
        (session.backend() == nullptr || session.backend()->name() != filter_.backend)) {
      return false;
    }
    return now_ms_ - session.started_ms() >= filter_.older_than_ms &&
           now_ms_ - session.LastMovedMs() >= filter_.idle_for_ms;
  }

 private:
  // The sessions of one listener come one after the other.
  bool HostMatches(const SessionHost& host) {
    if (&host == host_) return host_matches_;
    host_ = &host;
    const SessionNames& names = host.names();
    host_matches_ = (filter_.listener.empty() || filter_.listener == names.listener) &&
                    (filter_.pool.empty() || filter_.pool == names.pool);
    return host_matches_;
  }

  const SessionFilter& filter_;
  const int64_t now_ms_;
  std::optional<IpEndpoint> client_;
  bool impossible_ = false;
  const SessionHost* host_ = nullptr;
  bool host_matches_ = false;
};

int64_t PlaceOf(const Session& session, SessionFilter::Sort sort) {
  switch (sort) {
    case SessionFilter::Sort::kId:
      break;
    case SessionFilter::Sort::kAge:
      return session.started_ms();
    case SessionFilter::Sort::kIdle:
      return session.LastMovedMs();
    case SessionFilter::Sort::kBytes:
      return -static_cast<int64_t>(session.BytesDelivered());
  }
  return 0;
}

}  // namespace

int64_t ListSessions(SessionSet& sessions, const SessionFilter& filter,
                     std::vector<SessionStatus>* found) {
  std::optional<Matcher> matcher;
  std::vector<Found> matching;
  sessions.ForEach([&](Session& session) {
    if (!matcher) matcher.emplace(filter, session.now_ms());
    if (matcher->Matches(session)) matching.push_back({PlaceOf(session, filter.sort), &session});
  });
  const auto size = static_cast<int64_t>(matching.size());
  const auto end = matching.begin() + std::clamp<int64_t>(filter.limit, 0, size);
  if (end != matching.end()) std::nth_element(matching.begin(), end, matching.end());
  std::sort(matching.begin(), end);
  found->reserve(found->size() + static_cast<size_t>(end - matching.begin()));
  std::for_each(matching.begin(), end,
                [found](const Found& entry) { found->push_back(entry.session->Status()); });
  return size;
}

}  // namespace l4lb
