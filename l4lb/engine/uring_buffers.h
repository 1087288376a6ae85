// SPDX-License-Identifier: Apache-2.0
//
// The copy buffers of a worker on io_uring.  A few are published: the kernel takes one of them when
// bytes have come for a receive, first published, first taken.  The others wait here, last in,
// first out, so that few of them stay hot in cache.  A pump holds one while it has bytes in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "l4lb/engine/uring_abi.h"

namespace l4lb {

class UringBuffers {
 public:
  static constexpr uint16_t kGroup = 0;  // For IOSQE_BUFFER_SELECT.

  /// At most `bound` buffers.
  UringBuffers(size_t buffer_bytes, size_t bound);
  UringBuffers(const UringBuffers&) = delete;
  UringBuffers& operator=(const UringBuffers&) = delete;

  /// Makes them known to the ring, which must not outlive this.  0 or an errno.
  int Register(io_uring& ring);

  size_t buffer_bytes() const { return buffer_bytes_; }
  size_t in_use() const { return in_use_; }
  char* At(uint16_t id) { return buffers_[id].get(); }

  /// One that is not published, or -1.
  int Take();
  /// The buffer that a completion with IORING_CQE_F_BUFFER brought.
  uint16_t Claim(uint32_t cqe_flags);
  void Give(uint16_t id);
  /// Publishes as many as shall be.  To be called once in a turn.
  void Fill();
  /// After ENOBUFS: publishes more from now on.  False when there are no more.
  bool PublishMore();

 private:
  static constexpr size_t kEntries = 1024;  // Of the ring of published buffers.
  static constexpr size_t kFirstPublished = 32;
  static constexpr size_t kCached = 64;  // Free buffers kept; more go back to the heap.

  struct FreeMemory {
    void operator()(void* memory) const { ::free(memory); }
  };

  void Publish(uint16_t id);
  int TakeFree();  // An id, or -1.

  const size_t buffer_bytes_;
  const size_t bound_;
  size_t target_;  // How many shall be published.
  size_t published_ = 0;
  size_t in_use_ = 0;
  std::vector<std::unique_ptr<char[]>> buffers_;  // By id; null while that id is not used.
  std::vector<uint16_t> free_;
  std::vector<uint16_t> unused_ids_;
  std::unique_ptr<io_uring_buf_ring, FreeMemory> ring_;
};

}  // namespace l4lb
