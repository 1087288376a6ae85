// SPDX-License-Identifier: Apache-2.0
//
// The sessions that wait for a place at a backend, in the order in which they came.  Guarded by the
// pool's mutex (pool.h); waits.h is the worker's side of it.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "l4lb/backend/backend.h"
#include "l4lb/engine/op.h"

namespace l4lb {

/// Takes the leases of sessions that wait.  A worker.
class LeaseInbox {
 public:
  virtual ~LeaseInbox() = default;
  /// Any thread.  Nobody may wait under this ticket any more: then the lease goes on to the next.
  virtual void PostLease(uint64_t ticket, Lease lease) = 0;
};

/// A wait in a pool's queue: an op like any other, but for the worker (Waits) instead of the
/// engine.  Ends with error 0 and a lease, or with ECANCELED, or with EAGAIN: what it waits for
/// will not come, so pick anew.
struct WaitOp : Op {
  WaitOp() : Op(Kind::kWait) {}
  absl::Span<Backend* const> tried;  // Not these.  Must not change while in flight.
  Backend* only = nullptr;           // Null: any.
  Lease lease;

  // Of Waits.
  LeaseInbox* inbox = nullptr;
  uint64_t ticket = 0;
  // Of WaitList.
  WaitOp* before = nullptr;
  WaitOp* after = nullptr;
  bool queued = false;
};

/// Whether a place at this backend would do.
bool MayUse(const WaitOp& wait, const Backend& backend);

class WaitList {
 public:
  void PushBack(WaitOp& wait);
  void Remove(WaitOp& wait);
  /// The first that may use this backend, or `only` this one; null when nobody may.
  WaitOp* FirstFor(const Backend& backend, bool only = false) const;

 private:
  WaitOp* first_ = nullptr;
  WaitOp* last_ = nullptr;
};

}  // namespace l4lb
