// SPDX-License-Identifier: Apache-2.0
//
// What the epoll engine knows of each file descriptor, by its number.  In blocks, made when the
// first of their numbers occurs, so that an entry never moves and idle numbers cost nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "l4lb/engine/op.h"

namespace l4lb {

struct FdEntry {
  Op* reader = nullptr;
  Op* writer = nullptr;
  Op* watcher = nullptr;
  uint32_t generation = 0;  // Of the fd number: tells a late event of a closed fd.
  bool registered : 1 = false;
  bool wants_out : 1 = false;    // EPOLLOUT is registered.
  bool readable : 1 = false;     // A read may find something.
  bool unread_mark : 1 = false;  // Only EAGAIN proves that nothing is left: a FIN, a reset or
                                 // urgent data may stand behind a short read.
  bool finished : 1 = false;     // EPOLLRDHUP: its FIN is there, perhaps behind unread bytes.
  bool blocked : 1 = false;      // A write found the socket full; cleared by EPOLLOUT.
  bool error : 1 = false;        // EPOLLERR: reset, or given up by the kernel.
  bool hung_up : 1 = false;      // EPOLLHUP: both directions are shut.
};

class FdTable {
 public:
  FdEntry& operator[](int fd) {
    const size_t block = static_cast<size_t>(fd) / kBlock;
    if (block >= blocks_.size()) blocks_.resize(block + 1);
    if (blocks_[block] == nullptr) blocks_[block] = std::make_unique<FdEntry[]>(kBlock);
    return blocks_[block][static_cast<size_t>(fd) % kBlock];
  }

 private:
  static constexpr size_t kBlock = 256;

  std::vector<std::unique_ptr<FdEntry[]>> blocks_;
};

static_assert(sizeof(FdEntry) == 32, "there are two for every session");

}  // namespace l4lb
