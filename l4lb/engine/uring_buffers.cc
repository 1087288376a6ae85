// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/uring_buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

namespace l4lb {
namespace {

// Buffers a power of two apart would all compete for the same few sets of the first-level cache.
constexpr size_t kOffset = 5 * 64;

constexpr size_t kMostIds = 1 << 16;

}  // namespace

UringBuffers::UringBuffers(size_t buffer_bytes, size_t bound)
    : buffer_bytes_(buffer_bytes),
      bound_(std::min(bound, kMostIds)),
      target_(std::clamp<size_t>(bound_ / 2, 1, kFirstPublished)) {}

int UringBuffers::Register(io_uring& ring) {
  const size_t bytes = kEntries * sizeof(io_uring_buf);
  ring_.reset(static_cast<io_uring_buf_ring*>(::aligned_alloc(::sysconf(_SC_PAGESIZE), bytes)));
  if (ring_ == nullptr) return ENOMEM;
  ::io_uring_buf_ring_init(ring_.get());
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<uint64_t>(ring_.get());
  registration.ring_entries = kEntries;
  registration.bgid = kGroup;
  const int result = ::io_uring_register_buf_ring(&ring, &registration, 0);
  if (result < 0) return -result;
  Fill();
  return 0;
}

int UringBuffers::Take() {
  const int id = TakeFree();
  if (id >= 0) ++in_use_;
  return id;
}

uint16_t UringBuffers::Claim(uint32_t cqe_flags) {
  --published_;
  ++in_use_;
  return static_cast<uint16_t>(cqe_flags >> IORING_CQE_BUFFER_SHIFT);
}

void UringBuffers::Give(uint16_t id) {
  --in_use_;
  if (published_ < target_) return Publish(id);
  if (free_.size() < kCached) return free_.push_back(id);
  buffers_[id].reset();
  unused_ids_.push_back(id);
}

bool UringBuffers::PublishMore() {
  if (published_ > 0) return true;  // Somebody else came too late as well, in this turn.
  target_ = std::min(target_ * 2, kEntries);
  Fill();
  return published_ > 0;
}

void UringBuffers::Fill() {
  while (published_ < target_) {
    const int id = TakeFree();
    if (id < 0) return;
    Publish(static_cast<uint16_t>(id));
  }
}

int UringBuffers::TakeFree() {
  if (!free_.empty()) {
    const uint16_t id = free_.back();
    free_.pop_back();
    return id;
  }
  size_t id = buffers_.size();
  if (!unused_ids_.empty()) {
    id = unused_ids_.back();
    unused_ids_.pop_back();
  } else if (id < bound_) {
    buffers_.emplace_back();
  } else {
    return -1;
  }
  buffers_[id].reset(new char[buffer_bytes_ + kOffset]);
  return static_cast<int>(id);
}

void UringBuffers::Publish(uint16_t id) {
  ::io_uring_buf_ring_add(ring_.get(), At(id), static_cast<unsigned>(buffer_bytes_), id,
                          ::io_uring_buf_ring_mask(kEntries), 0);
  ::io_uring_buf_ring_advance(ring_.get(), 1);
  ++published_;
}

}  // namespace l4lb
