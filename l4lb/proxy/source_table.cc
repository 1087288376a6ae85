// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/source_table.h"

#include <algorithm>

#include "absl/hash/hash.h"

namespace l4lb {
namespace {

uint64_t BigEndian(const uint8_t* bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

constexpr uint64_t kIpv4Mapped = 0xffff;  // ::ffff:0:0/96, the upper half of the lower word.

}  // namespace

SourceTable::SourceTable(int64_t max_connections, int64_t rate)
    : max_connections_(max_connections), rate_(rate) {}

void SourceTable::Set(int64_t max_connections, int64_t rate) {
  max_connections_.store(max_connections, std::memory_order_relaxed);
  rate_.store(rate, std::memory_order_relaxed);
}

SourceTable::Key SourceTable::KeyOf(const IpEndpoint& client) {
  const uint64_t high = BigEndian(client.ip.data());
  const uint64_t low = BigEndian(client.ip.data() + 8);
  const bool ipv4 = high == 0 && low >> 32 == kIpv4Mapped;
  return absl::MakeUint128(high, ipv4 ? low : 0);
}

SourceTable::Shard& SourceTable::ShardOf(const Key& key) {
  return shards_[absl::Hash<Key>()(key) >> 32 & (kShards - 1)];
}

Limit SourceTable::Enter(const IpEndpoint& client, int64_t now_ms) {
  if (!limited() || client.empty) return Limit::none;
  const int64_t most = max_connections();
  const int64_t per_second = rate();
  const Rate rate(std::max<int64_t>(per_second, 1), kBurstMs);
  const int64_t now_ns = now_ms * 1'000'000;
  const Key key = KeyOf(client);
  Shard& shard = ShardOf(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.entries.find(key);
  Entry entry = found == shard.entries.end() ? Entry{} : found->second;
  if (most > 0 && entry.open >= most) return Limit::source_connections;
  if (per_second > 0 && rate.WaitNs(entry.due_ns, now_ns) > 0) return Limit::source_rate;
  if (found != shard.entries.end() && entry.open == 0) --shard.idle;
  ++entry.open;
  entry.due_ns = rate.Next(entry.due_ns, now_ns);
  shard.entries[key] = entry;
  if (shard.idle > kMostIdle / kShards) ForgetIdle(shard, now_ns);
  return Limit::none;
}

void SourceTable::Leave(const IpEndpoint& client) {
  if (!limited() || client.empty) return;
  const Key key = KeyOf(client);
  Shard& shard = ShardOf(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.entries.find(key);
  if (--found->second.open > 0) return;
  if (rate() > 0) {
    ++shard.idle;
  } else {
    shard.entries.erase(found);
  }
}

// Those whose rate has recovered, and then a quarter of the bound more, so that the next one is
// far.
void SourceTable::ForgetIdle(Shard& shard, int64_t now_ns) {
  constexpr size_t kKept = kMostIdle / kShards * 3 / 4;
  absl::erase_if(shard.entries, [&](const auto& item) {
    return item.second.open == 0 && item.second.due_ns <= now_ns;
  });
  shard.idle =
      static_cast<size_t>(std::count_if(shard.entries.begin(), shard.entries.end(),
                                        [](const auto& item) { return item.second.open == 0; }));
  for (auto item = shard.entries.begin(); item != shard.entries.end() && shard.idle > kKept;) {
    const auto next = std::next(item);
    if (item->second.open == 0) {
      shard.entries.erase(item);
      --shard.idle;
    }
    item = next;
  }
}

size_t SourceTable::size() const {
  size_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    sum += shard.entries.size();
  }
  return sum;
}

}  // namespace l4lb
