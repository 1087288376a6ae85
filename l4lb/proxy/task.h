// SPDX-License-Identifier: Apache-2.0
//
// The coroutine type of a session's life.  It starts at once, runs detached, and its frame frees
// itself at the end; the frame comes from the BlockPool of the object whose member function it is
// (`owner.blocks()`).
//
// GCC 12 miscompiles co_await with temporaries (double destruction).  So: awaitables are trivially
// destructible and hold references only; whatever has a destructor is a named local; co_await
// stands alone in its statement.  tests/tidy_test.py enforces it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>

#include "l4lb/proxy/block_pool.h"

namespace l4lb {

struct Task {
  struct promise_type {
    template <typename Owner>
    static void* operator new(size_t bytes, Owner& owner) {
      // The pool stands behind the frame, for operator delete.
      BlockPool& blocks = owner.blocks();
      auto* memory = static_cast<std::byte*>(blocks.Take(bytes + sizeof(BlockPool*)));
      new (memory + bytes) BlockPool*(&blocks);
      return memory;
    }
    static void operator delete(void* memory, size_t bytes) {
      BlockPool* blocks =
          *std::launder(reinterpret_cast<BlockPool**>(static_cast<std::byte*>(memory) + bytes));
      blocks->Give(memory, bytes + sizeof(BlockPool*));
    }

    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

}  // namespace l4lb
