// SPDX-License-Identifier: Apache-2.0
//
// Memory for sessions and their coroutine frames: one free list per size, so that after warm-up a
// session starts without the heap.  One per worker; not thread-safe.
//
// Under AddressSanitizer every block comes from the heap, or a use after free would go unseen.
#pragma once

#include <cstddef>
#include <new>

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

  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool() {
    for (Block*& head : free_) {
      while (head != nullptr) {
        Block* next = head->next;
        ::operator delete(head);
        head = next;
      }
    }
  }

  void* Take(size_t bytes) {
    const size_t list = ListOf(bytes);
    if (!kPoolBlocks || bytes > kLargest) return ::operator new(bytes);
    Block* block = free_[list];
    if (block == nullptr) return ::operator new(list* kGrain);
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

  Block* free_[kLargest / kGrain + 1] = {};
};

}  // namespace l4lb
