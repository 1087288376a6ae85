// SPDX-License-Identifier: Apache-2.0
//
// per_source limits of one listener: how many connections each client address has open, and how
// fast it opens new ones.  Shared by all workers; in shards, each with its lock.  An IPv6 address
// counts as its /64, which is what one customer gets.  UNIX clients have no address: no limit.
//
// Memory is bounded: an entry for each open connection's source, and at most kMostIdle for sources
// that have none open and are kept for their rate; beyond that some of those are forgotten.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/int128.h"
#include "l4lb/net/ip_endpoint.h"
#include "l4lb/observe/limit.h"
#include "l4lb/proxy/rate.h"

namespace l4lb {

class SourceTable {
 public:
  static constexpr size_t kMostIdle = 65'536;
  static constexpr int64_t kBurstMs = 1'000;  // As many at once as in one second.

  /// 0: no limit.
  SourceTable(int64_t max_connections, int64_t rate);
  /// Any thread.  Some limit stays: without any, nothing is counted.
  void Set(int64_t max_connections, int64_t rate);
  /// Whether anything is.
  bool limited() const { return max_connections() > 0 || rate() > 0; }

  /// Limit::none: it may enter, and Leave() must follow; else which limit it has reached.
  Limit Enter(const IpEndpoint& client, int64_t now_ms);
  void Leave(const IpEndpoint& client);

  size_t size() const;

 private:
  using Key = absl::uint128;
  struct Entry {
    int64_t open = 0;
    int64_t due_ns = 0;  // Of its rate.
  };
  struct Shard {
    mutable std::mutex mutex;  // Of all below.
    absl::flat_hash_map<Key, Entry> entries;
    size_t idle = 0;  // Entries with nothing open.
  };
  static constexpr size_t kShards = 64;

  int64_t max_connections() const { return max_connections_.load(std::memory_order_relaxed); }
  int64_t rate() const { return rate_.load(std::memory_order_relaxed); }
  static Key KeyOf(const IpEndpoint& client);
  Shard& ShardOf(const Key& key);
  void ForgetIdle(Shard& shard, int64_t now_ns);  // Under its mutex.

  std::atomic<int64_t> max_connections_;
  std::atomic<int64_t> rate_;  // A second.
  std::array<Shard, kShards> shards_;
};

}  // namespace l4lb
