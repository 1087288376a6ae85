// SPDX-License-Identifier: Apache-2.0
//
// Memory for sessions and their coroutine frames: one free list per size, so that after warm-up a
// session starts without the heap.  One per worker; not thread-safe.
//
// Under AddressSanitizer every block comes from the heap, or a use after free would go unseen.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace l4lb {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kPoolBlocks = false;
#elif defined(__has_feature)
inline constexpr bool kPoolBlocks = !__has_feature(address_sanitizer);
#else
inline constexpr bool kPoolBlocks = true;
#endif

class BlockPool {
 public:
  static constexpr size_t kGrain = 16;
  static constexpr size_t kLargest = 2048;  // Larger blocks come from the heap.
  static constexpr size_t kSlab = 32'000;   // From the heap at once, for blocks of one size.

  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  void* Take(size_t bytes) {
    const size_t list = ListOf(bytes);
    if (!kPoolBlocks || bytes > kLargest) return ::operator new(bytes);
    if (free_[list] == nullptr) Fill(list);
    Block* block = free_[list];
    free_[list] = block->next;
    return block;
  }
  void Give(void* memory, size_t bytes) {
    if (!kPoolBlocks || bytes > kLargest) return ::operator delete(memory);
    Block*& head = free_[ListOf(bytes)];
    head = new (memory) Block{head};
  }

 private:
  struct Block {
    Block* next;
  };
  static size_t ListOf(size_t bytes) { return (bytes + kGrain - 1) / kGrain; }
  void Fill(size_t list) {
    const size_t bytes = list * kGrain;
    std::byte* slab = slabs_.emplace_back(std::make_unique<std::byte[]>(kSlab)).get();
    for (size_t at = 0; at + bytes <= kSlab; at += bytes)
      free_[list] = new (slab + at) Block{free_[list]};
  }

  Block* free_[kLargest / kGrain + 1] = {};
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
};

}  // namespace l4lb
