// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/uring_ring.h"

#include <errno.h>
#include <string.h>

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/net/errno_text.h"

namespace l4lb {
namespace {

// A turn of 6.18 hands over some twenty completions, so few entries are used at a time.  More than
// fit are not lost: a full submission queue is submitted early, and completions beyond the ring
// wait in the kernel.
constexpr unsigned kSubmissions = 256;
constexpr unsigned kCompletions = 4096;

std::string_view Remedy(int error) {
  switch (error) {
    case ENOSYS:
      return "; this kernel was built without it";
    case EPERM:
      return "; a seccomp filter (that of a container, perhaps) or kernel.io_uring_disabled "
             "forbids "
             "it";
    case EINVAL:
      return "; Linux 6.1 or later is needed";
    case ENOMEM:
      return "; locked memory (ulimit -l) or the memory of the control group is used up";
    case EMFILE:
    case ENFILE:
      return "; file descriptors (ulimit -n) are used up";
    default:
      return "";
  }
}

// Of io_uring_enter(2).  What else it may tell means that the ring is unusable.
bool IsPassing(int error) {
  return error == ETIME || error == EINTR || error == EAGAIN || error == EBUSY || error == ENOMEM;
}

}  // namespace

absl::StatusOr<std::unique_ptr<UringRing>> UringRing::Open() {
  io_uring_params params{};
  // Nobody but this thread uses the ring, and completions are worked on only when it asks.
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL |
                 IORING_SETUP_CQSIZE;
  params.cq_entries = kCompletions;
  std::unique_ptr<UringRing> ring(new UringRing);
  if (const int result = ::io_uring_queue_init_params(kSubmissions, &ring->ring_, &params);
      result < 0) {
    ring->ring_.ring_fd = -1;
    return absl::UnavailableError(
        absl::StrCat("io_uring_setup: ", ErrnoText(-result), std::string(Remedy(-result))));
  }
  for (unsigned i = 0; i < ring->ring_.sq.ring_entries; ++i) ring->ring_.sq.array[i] = i;
  ring->enter_flags_ = IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;
  if (::io_uring_register_ring_fd(&ring->ring_) == 1) {
    ring->enter_flags_ |= IORING_ENTER_REGISTERED_RING;
  }
  return ring;
}

UringRing::~UringRing() {
  if (ring_.ring_fd >= 0) ::io_uring_queue_exit(&ring_);
}

io_uring_sqe& UringRing::Add(uint8_t opcode, int fd, uint64_t user_data) {
  io_uring_sqe* sqe = ::io_uring_get_sqe(&ring_);
  while (sqe == nullptr) {
    const unsigned flags = enter_flags_ & IORING_ENTER_REGISTERED_RING;
    ::io_uring_enter(ring_.enter_ring_fd, Flush(), 0, flags, nullptr);
    sqe = ::io_uring_get_sqe(&ring_);
  }
  ::memset(sqe, 0, sizeof *sqe);
  sqe->opcode = opcode;
  sqe->fd = fd;
  sqe->user_data = user_data;
  return *sqe;
}

void UringRing::AddPoll(int fd, uint32_t events, uint64_t user_data) {
  Add(IORING_OP_POLL_ADD, fd, user_data).poll32_events = __io_uring_prep_poll_mask(events);
}

void UringRing::AddMultishotPoll(int fd, uint32_t events, uint64_t user_data) {
  io_uring_sqe& sqe = Add(IORING_OP_POLL_ADD, fd, user_data);
  sqe.poll32_events = __io_uring_prep_poll_mask(events);
  sqe.len = IORING_POLL_ADD_MULTI;
}

void UringRing::Cancel(uint64_t user_data) {
  io_uring_sqe& sqe = Add(IORING_OP_ASYNC_CANCEL, -1, kIgnored);
  sqe.addr = user_data;
  sqe.flags = IOSQE_CQE_SKIP_SUCCESS;
}

void UringRing::CancelAll() {
  Add(IORING_OP_ASYNC_CANCEL, -1, kIgnored).cancel_flags =
      IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL;
}

unsigned UringRing::Flush() {
  io_uring_sq& sq = ring_.sq;
  sq.sqe_head = sq.sqe_tail;
  io_uring_smp_store_release(sq.ktail, sq.sqe_tail);
  return sq.sqe_tail - io_uring_smp_load_acquire(sq.khead);
}

void UringRing::Enter(int64_t wait_ms) {
  __kernel_timespec timeout{.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1'000'000};
  io_uring_getevents_arg arg{};
  if (wait_ms > 0) arg.ts = reinterpret_cast<uint64_t>(&timeout);
  const unsigned at_least = wait_ms == 0 ? 0 : 1;
  unsigned left = Flush();
  do {
    // Fails when the time is over or a signal came, which is a turn like any other; while requests
    // are left, for want of kernel memory, which does not last.
    const int result = ::io_uring_enter2(ring_.enter_ring_fd, left, at_least, enter_flags_,
                                         reinterpret_cast<sigset_t*>(&arg), sizeof arg);
    CHECK(result >= 0 || IsPassing(-result)) << "io_uring_enter: " << ErrnoText(-result);
    left = Flush();
  } while (left > 0);
}

}  // namespace l4lb
