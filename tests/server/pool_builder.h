// SPDX-License-Identifier: Apache-2.0
//
// Pools as a configuration would have them, for tests of ManagedPool.  Backends have one letter
// each, and an address that goes with it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "l4lb/server/managed_pool.h"

namespace l4lb {

inline std::string AddressOf(char letter, int host = 1) {
  return "127.0.0." + std::to_string(host) + ":" + std::to_string(9000 + letter);
}

inline Config::Pool PoolOf(const std::string& letters) {
  Config::Pool pool;
  pool.name = "back";
  for (const char letter : letters) {
    pool.backends.push_back({.name = {letter}, .address = AddressOf(letter)});
  }
  return pool;
}

/// Its entry in the configuration.
inline Config::Backend& Entry(Config::Pool& pool, char letter) {
  return *std::find_if(pool.backends.begin(), pool.backends.end(),
                       [letter](const auto& it) { return it.name == std::string(1, letter); });
}

inline std::unique_ptr<ManagedPool> Managed(const Config::Pool& config) {
  auto pool = ManagedPool::Make(7, config, 2, ManagedPool::Birth::kAtStart);
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

inline ManagedPool::Effects Commit(ManagedPool& pool, absl::StatusOr<ManagedPool::Draft> draft) {
  EXPECT_TRUE(draft.ok()) << draft.status();
  return draft.ok() ? pool.Commit(*std::move(draft)) : ManagedPool::Effects();
}

/// As often as it takes.
inline void ForgetUnused(ManagedPool& pool, const AccessLog* log = nullptr) {
  for (int look = 0; look < 2; ++look) pool.ForgetUnused(log);
}

/// Weak: a test that keeps one alive would keep it from being forgotten.
inline Backend* ObjectOf(const ManagedPool& pool, const std::string& name) {
  const ManagedBackend* const found = pool.Find(name);
  return found == nullptr ? nullptr : found->backend.get();
}

/// In the order of the configuration.
inline std::string LettersOf(const ManagedPool& pool) {
  std::string letters;
  for (const ManagedBackend& backend : pool.backends()) letters += backend.configured.name;
  return letters;
}

/// Of the snapshot's members that may be picked, sorted.
inline std::string Pickable(const ManagedPool& pool) {
  std::string letters;
  for (const auto& member : pool.snapshot()->members) {
    if (member.backend == nullptr || pool.pool().table().closed(member.backend->slot())) continue;
    letters += member.backend->name();
  }
  std::sort(letters.begin(), letters.end());
  return letters;
}

template <typename Backends>
std::string NamesOf(const Backends& backends) {
  std::string names;
  for (const auto& backend : backends) names += backend->name();
  return names;
}

}  // namespace l4lb
