// SPDX-License-Identifier: Apache-2.0
//
// What an engine knows of each file descriptor, by its number.  In blocks, made when the first of
// their numbers occurs, so that an entry never moves and idle numbers cost nothing.  An entry has
// the ops in flight on the fd as `reader`, `writer` and `watcher`, and what else its engine needs.
#pragma once

#include <memory>
#include <vector>

#include "l4lb/engine/op.h"

namespace l4lb {

template <typename Entry>
class FdTable {
  static_assert(sizeof(Entry) == 32, "there are two for every session");

 public:
  Entry& operator[](int fd) {
    const size_t block = static_cast<size_t>(fd) / kBlock;
    if (block >= blocks_.size()) blocks_.resize(block + 1);
    if (blocks_[block] == nullptr) blocks_[block] = std::make_unique<Entry[]>(kBlock);
    return blocks_[block][static_cast<size_t>(fd) % kBlock];
  }

 private:
  static constexpr size_t kBlock = 256;

  std::vector<std::unique_ptr<Entry[]>> blocks_;
};

/// Enters `occupant` (the op, or null at its end) where the op uses its fds.
template <typename Entry>
void Occupy(FdTable<Entry>& fds, Op& op, Op* occupant) {
  switch (op.kind) {
    case Op::Kind::kAccept:
      fds[static_cast<AcceptOp&>(op).listen_fd].reader = occupant;
      return;
    case Op::Kind::kConnect:
      if (const int fd = static_cast<ConnectOp&>(op).fd; fd >= 0) fds[fd].writer = occupant;
      return;
    case Op::Kind::kPump:
      fds[static_cast<PumpOp&>(op).from].reader = occupant;
      fds[static_cast<PumpOp&>(op).to].writer = occupant;
      return;
    case Op::Kind::kWatch:
      fds[static_cast<WatchOp&>(op).fd].watcher = occupant;
      return;
    case Op::Kind::kSend:
      fds[static_cast<SendOp&>(op).fd].writer = occupant;
      return;
    case Op::Kind::kRead:
      fds[static_cast<ReadOp&>(op).fd].reader = occupant;
      return;
    case Op::Kind::kWait:
      return;
  }
}

}  // namespace l4lb
