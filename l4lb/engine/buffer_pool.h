// SPDX-License-Identifier: Apache-2.0
//
// The copy buffers of one worker: last in, first out, so that the one in use is hot in cache.  A
// pump holds one only while it has bytes that it could not deliver.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace l4lb {

class BufferPool {
 public:
  static constexpr size_t kCached = 64;  // Free buffers kept; more go back to the heap.

  BufferPool(size_t buffer_bytes, size_t bound) : buffer_bytes_(buffer_bytes), bound_(bound) {
    free_.reserve(kCached);
  }

  size_t buffer_bytes() const { return buffer_bytes_; }
  size_t in_use() const { return in_use_; }

  /// Null when the bound is reached.
  char* Take() {
    if (in_use_ == bound_) return nullptr;
    ++in_use_;
    if (free_.empty()) return new char[buffer_bytes_];
    char* buffer = free_.back().release();
    free_.pop_back();
    return buffer;
  }
  void Give(char* buffer) {
    --in_use_;
    std::unique_ptr<char[]> owned(buffer);
    if (free_.size() < kCached) free_.push_back(std::move(owned));
  }

 private:
  const size_t buffer_bytes_;
  const size_t bound_;
  size_t in_use_ = 0;
  std::vector<std::unique_ptr<char[]>> free_;
};

}  // namespace l4lb
