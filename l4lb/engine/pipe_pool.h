// SPDX-License-Identifier: Apache-2.0
//
// The splice pipes of one worker.  A pump takes one for as long as it has bytes in it.  "None at
// hand" is normal (descriptors or pipe memory are short): the pump copies instead.
#pragma once

#include <cstddef>
#include <vector>

#include "l4lb/net/unique_fd.h"

namespace l4lb {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
  size_t held = 0;  // Bytes in it.  May exceed the nominal size: slots hold whole socket fragments.
};

class PipePool {
 public:
  static constexpr size_t kCached = 32;           // Empty pipes kept.
  static constexpr size_t kLargePipes = 32;       // Pipes of 1 MiB; further ones have 256 KiB.
  static constexpr int kSmallestSize = 64 << 10;  // Less is no better than copying.
  static constexpr int kReservedFds = 16;         // Never taken for pipes.

  /// At most `bound` pipes; none whose fd numbers come within kReservedFds of `max_fd`.
  PipePool(size_t bound, int max_fd) : bound_(bound), max_fd_(max_fd) {}
  PipePool(const PipePool&) = delete;
  PipePool& operator=(const PipePool&) = delete;
  ~PipePool() { Shrink(); }

  /// Null when none is at hand.
  Pipe* Take();
  /// A pipe that still holds bytes is closed: they belong to another session.
  void Give(Pipe* pipe);
  /// Closes the cached pipes.  Returns whether that freed any descriptor.
  bool Shrink();

  size_t open() const { return in_use_ + free_.size(); }
  size_t in_use() const { return in_use_; }

 private:
  Pipe* Make();

  const size_t bound_;
  const int max_fd_;
  size_t in_use_ = 0;
  std::vector<Pipe*> free_;
};

}  // namespace l4lb
