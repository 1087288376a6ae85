// SPDX-License-Identifier: Apache-2.0
//
// How many leases each backend of a pool has, and its limit, packed by slot: a policy that looks at
// many backends touches few cache lines.  Shared by all workers, lock-free; slots are added,
// changed and freed by the control thread only.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/policy.h"

namespace l4lb {

class ActiveTable {
 public:
  static constexpr int kBlock = Candidates::kBlock;
  static constexpr int kMostSlots = 10'048;  // Ten thousand, in whole blocks.
  static constexpr int32_t kNoLimit = std::numeric_limits<int32_t>::max();
  static constexpr int kNone = -1;

  ActiveTable() = default;
  ActiveTable(const ActiveTable&) = delete;
  ActiveTable& operator=(const ActiveTable&) = delete;

  /// A new slot: the number of a backend in its pool, for as long as it lives.  `limit` 0: it takes
  /// nobody.  kNone: all are taken.  Control thread; others may use it once they were told of it.
  int Add(int32_t limit);
  /// Who holds a place keeps it.  Control thread.
  void SetLimit(int slot, int32_t limit);
  /// Nobody uses the slot any more, nor will: the next backend may have it.  Control thread.
  void Free(int slot);

  /// Takes a place if fewer than the limit are taken.
  bool TryAcquire(int slot);
  void Release(int slot);

  int32_t active(int slot) const { return Active(slot).load(); }
  int32_t limit(int slot) const { return Limit(slot).load(std::memory_order_relaxed); }
  bool closed(int slot) const { return limit(slot) == 0; }  ///< It takes nobody.
  bool full(int slot) const { return active(slot) >= limit(slot); }
  bool over_full(int slot) const { return active(slot) > limit(slot); }
  /// See Candidates::changes().
  absl::Span<const std::atomic<uint32_t>> changes() const { return changes_; }

 private:
  struct Block {
    std::array<std::atomic<int32_t>, kBlock> active{};
    std::array<std::atomic<int32_t>, kBlock> limit{};
  };
  static constexpr int kBlocks = kMostSlots / kBlock;

  const std::atomic<int32_t>& Active(int slot) const {
    return blocks_[slot / kBlock]->active[slot % kBlock];
  }
  std::atomic<int32_t>& Active(int slot) { return blocks_[slot / kBlock]->active[slot % kBlock]; }
  const std::atomic<int32_t>& Limit(int slot) const {
    return blocks_[slot / kBlock]->limit[slot % kBlock];
  }
  std::atomic<int32_t>& Limit(int slot) { return blocks_[slot / kBlock]->limit[slot % kBlock]; }
  // After the change, so that who has seen the new number also sees the change.
  void Changed(int slot) { changes_[slot / kBlock].fetch_add(1, std::memory_order_release); }

  std::array<std::unique_ptr<Block>, kBlocks> blocks_;  // Never moved or freed while in use.
  std::array<std::atomic<uint32_t>, kBlocks> changes_{};
  int size_ = 0;           // Slots ever used; of the control thread, as all below.
  std::vector<int> free_;  // Of these, those that nobody has.
};

}  // namespace l4lb
