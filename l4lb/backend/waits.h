// SPDX-License-Identifier: Apache-2.0
//
// One worker's side of the queues: which of its sessions wait, and how a lease that another thread
// gives them reaches them.  A lease for a session that waits no more is given back, and so goes to
// the next one.  Not thread-safe: the inbox brings leases to the worker's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "l4lb/backend/pool.h"

namespace l4lb {

class Waits {
 public:
  explicit Waits(LeaseInbox& inbox) : inbox_(inbox) {}

  /// Puts the wait into the pool's queue; false when that is full.  `wait` has its done(), `tried`
  /// and `only`.
  bool Begin(Pool& pool, WaitOp& wait);
  /// Hurries done(), with ECANCELED.  A wait not in flight: no effect.
  void Cancel(WaitOp& wait);

  /// A lease that came through the inbox; runs done() of who waits for it.
  void Deliver(uint64_t ticket, Lease lease);
  /// Runs done() of those that were cancelled.  To be called in every turn.
  void EndCancelled();

 private:
  struct Entry {
    WaitOp* wait;
    Pool* pool;
  };

  LeaseInbox& inbox_;
  absl::flat_hash_map<uint64_t, Entry> waiting_;  // By ticket.
  std::vector<WaitOp*> cancelled_;
  uint64_t last_ticket_ = 0;
};

}  // namespace l4lb
