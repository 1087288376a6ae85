// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/pipe_pool.h"

#include <fcntl.h>
#include <unistd.h>

#include <memory>

namespace l4lb {
namespace {

constexpr int kLarge = 1 << 20;
constexpr int kMedium = 256 << 10;

// The size that the kernel granted.  Past the per-user limit (pipe-user-pages-soft) it refuses to
// grow a pipe, and may have made it with two pages only.
int Grow(int fd, int wanted) {
  for (int size = wanted; size >= kMedium; size = size > kMedium ? kMedium : 0) {
    if (::fcntl(fd, F_SETPIPE_SZ, size) >= size) return size;
  }
  return ::fcntl(fd, F_GETPIPE_SZ);
}

}  // namespace

Pipe* PipePool::Take() {
  Pipe* pipe = nullptr;
  if (!free_.empty()) {
    pipe = free_.back();
    free_.pop_back();
  } else if (in_use_ < bound_) {
    pipe = Make();
  }
  if (pipe != nullptr) ++in_use_;
  return pipe;
}

Pipe* PipePool::Make() {
  int ends[2];
  if (::pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return nullptr;
  auto pipe = std::make_unique<Pipe>();
  pipe->read_end.Reset(ends[0]);
  pipe->write_end.Reset(ends[1]);
  if (ends[0] >= max_fd_ - kReservedFds || ends[1] >= max_fd_ - kReservedFds) return nullptr;
  if (Grow(ends[1], open() < kLargePipes ? kLarge : kMedium) < kSmallestSize) return nullptr;
  return pipe.release();
}

void PipePool::Give(Pipe* pipe) {
  --in_use_;
  if (pipe->held == 0 && free_.size() < kCached) {
    free_.push_back(pipe);
  } else {
    delete pipe;
  }
}

bool PipePool::Shrink() {
  const bool any = !free_.empty();
  for (Pipe* pipe : free_) delete pipe;
  free_.clear();
  return any;
}

}  // namespace l4lb
