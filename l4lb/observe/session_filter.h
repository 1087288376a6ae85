// SPDX-License-Identifier: Apache-2.0
//
// Which live sessions are to be listed, and in which order.  The API asks with it, every worker
// answers with its first few, and SortAndCut() makes one list of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "l4lb/observe/status.h"

namespace l4lb {

/// What is empty or 0 does not narrow.
struct SessionFilter {
  enum class Sort : uint8_t { kId, kAge, kIdle, kBytes };  // kId: ascending; else most first.

  std::string listener;
  std::string pool;
  std::string backend;
  std::string client;  // An address without a port, as SocketAddress::ParseHost() takes it; "unix".
  int64_t older_than_ms = 0;
  int64_t idle_for_ms = 0;
  Sort sort = Sort::kId;
  int64_t limit = 100;
};

/// Puts the sessions of several workers into the filter's order and keeps its `limit`.
void SortAndCut(const SessionFilter& filter, std::vector<SessionStatus>* sessions);

}  // namespace l4lb
