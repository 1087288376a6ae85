// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/active_table.h"

#include "glog/logging.h"
#include "l4lb/backend/interleaving.h"

namespace l4lb {

int ActiveTable::Add(int32_t limit) {
  if (!free_.empty()) {
    const int slot = free_.back();
    free_.pop_back();
    SetLimit(slot, limit);
    return slot;
  }
  if (size_ == kMostSlots) return kNone;
  const int slot = size_++;
  if (slot % kBlock == 0) blocks_[slot / kBlock] = std::make_unique<Block>();
  Limit(slot) = limit;
  return slot;
}

void ActiveTable::SetLimit(int slot, int32_t limit) {
  Limit(slot).store(limit);
  Changed(slot);
}

void ActiveTable::Free(int slot) {
  DCHECK_EQ(active(slot), 0);
  SetLimit(slot, 0);
  free_.push_back(slot);
}

bool ActiveTable::TryAcquire(int slot) {
  InterleavingPoint();
  std::atomic<int32_t>& active = Active(slot);
  const int32_t most = limit(slot);
  int32_t now = active.load();
  do {
    if (now >= most) return false;
  } while (!active.compare_exchange_weak(now, now + 1));
  Changed(slot);
  return true;
}

// Sequentially consistent: see Pool::GiveBack().
void ActiveTable::Release(int slot) {
  InterleavingPoint();
  const int32_t before = Active(slot).fetch_sub(1);
  DCHECK_GT(before, 0);
  Changed(slot);
}

}  // namespace l4lb
