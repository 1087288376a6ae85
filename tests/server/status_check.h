// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every ProcessStatus, whatever was done to the process.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "l4lb/observe/status.h"

namespace l4lb {

template <typename Items>
void ExpectUniqueNames(const Items& items, const char* what) {
  std::set<std::string> names;
  for (const auto& item : items) {
    EXPECT_TRUE(names.insert(item.name).second) << what << " " << item.name << " is there twice";
  }
}

/// Names are unique, and what can be compared while sessions come and go is in order.
inline void ExpectInOrder(const ProcessStatus& status) {
  ExpectUniqueNames(status.listeners, "listener");
  ExpectUniqueNames(status.pools, "pool");
  for (const PoolStatus& pool : status.pools) {
    ExpectUniqueNames(pool.backends, pool.name.c_str());
    EXPECT_GE(pool.active, 0) << pool.name;
    EXPECT_GE(pool.waiting, 0) << pool.name;
    for (const BackendStatus& backend : pool.backends) EXPECT_GE(backend.active, 0) << backend.name;
  }
  for (const ListenerStatus& listener : status.listeners) {
    EXPECT_GE(listener.active, 0) << listener.name;
  }
}

/// No session begins or ends meanwhile: all sums agree.
inline void ExpectAddsUp(const ProcessStatus& status) {
  ExpectInOrder(status);
  int64_t at_listeners = 0;
  for (const ListenerStatus& listener : status.listeners) {
    at_listeners += listener.active;
    uint64_t closed = 0;
    for (const uint64_t count : listener.sums.closed_by_reason) closed += count;
    EXPECT_EQ(closed, listener.sums.closed) << listener.name;
    EXPECT_EQ(listener.sums.accepted, listener.sums.closed + static_cast<uint64_t>(listener.active))
        << listener.name;
  }
  int64_t at_workers = 0;
  for (const WorkerStatus& worker : status.workers) at_workers += worker.sessions;
  EXPECT_EQ(at_listeners, status.active);
  EXPECT_EQ(at_workers, status.active);
  for (const PoolStatus& pool : status.pools) {
    int64_t at_backends = 0;
    for (const BackendStatus& backend : pool.backends) at_backends += backend.active;
    EXPECT_EQ(at_backends, pool.active) << pool.name;
  }
}

inline const ListenerStatus* FindListener(const ProcessStatus& status, const std::string& name) {
  for (const ListenerStatus& listener : status.listeners) {
    if (listener.name == name) return &listener;
  }
  return nullptr;
}

inline const PoolStatus* FindPool(const ProcessStatus& status, const std::string& name) {
  for (const PoolStatus& pool : status.pools) {
    if (pool.name == name) return &pool;
  }
  return nullptr;
}

inline const BackendStatus* FindBackend(const PoolStatus& pool, const std::string& name) {
  for (const BackendStatus& backend : pool.backends) {
    if (backend.name == name) return &backend;
  }
  return nullptr;
}

}  // namespace l4lb
