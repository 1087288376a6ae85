// SPDX-License-Identifier: Apache-2.0
//
// What a session says of itself: while it lives, and when it has ended.
#include "l4lb/proxy/session.h"

namespace l4lb {

Phase Session::phase() const {
  return connected() ? Phase::data : in_queue_ ? Phase::queue : Phase::connect;
}

uint64_t Session::Delivered(End end) const {
  return pumping() ? pump_from(end).bytes : side(end).delivered;
}

int64_t Session::LastMovedMs() const {
  if (!pumping()) return moved_ms_;
  return std::max({moved_ms_, pump_from(kClient).moved_at_ms, pump_from(kBackend).moved_at_ms});
}

SessionStatus Session::Status() const {
  SessionStatus status;
  status.id = id_;
  status.listener = host_.names().listener;
  status.pool = host_.names().pool;
  status.client = client_.ToString();
  if (lease_) status.backend = lease_.backend()->name();
  status.phase = phase();
  status.worker = host_.context().index;
  status.age_ms = now_ms() - started_ms_;
  status.idle_ms = now_ms() - LastMovedMs();
  status.client_bytes = Delivered(kClient);
  status.backend_bytes = Delivered(kBackend);
  status.half_closed = half_closed();
  return status;
}

SessionRecord Session::Record() const {
  SessionRecord record;
  record.id = id_;
  record.client = client_;
  record.names = &host_.names();
  const Backend* backend = lease_ ? lease_.backend() : tried_ ? tried_->last() : nullptr;
  if (backend != nullptr) {
    record.backend = backend->name().c_str();
    record.backend_address = backend->address_text().c_str();
  }
  record.attempts = attempts_;
  record.queue_ms = queue_ms_;
  record.connect_ms = connect_ms_;
  record.first_byte_ms = first_byte_ms_;
  record.total_ms = now_ms() - started_ms_;
  record.client_bytes = side(kClient).delivered;
  record.backend_bytes = side(kBackend).delivered;
  record.reason = reason_;
  record.limit = limit_;
  record.phase = phase();
  return record;
}

}  // namespace l4lb
