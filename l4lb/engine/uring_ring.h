// SPDX-License-Identifier: Apache-2.0
//
// One io_uring instance and what UringEngine asks of it.  Requests are only written down by the
// calls here; they begin with the next Enter(), or before it when the submission queue is full.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "l4lb/engine/uring_abi.h"

namespace l4lb {

class UringRing {
 public:
  /// The `user_data` of requests whose completions nobody waits for.
  static constexpr uint64_t kIgnored = 0;

  /// To be called on the thread that will use it.  An error says what this machine lacks.
  static absl::StatusOr<std::unique_ptr<UringRing>> Open();
  ~UringRing();
  UringRing(const UringRing&) = delete;
  UringRing& operator=(const UringRing&) = delete;

  /// A cleared entry of the submission queue.
  io_uring_sqe& Add(uint8_t opcode, int fd, uint64_t user_data);
  /// Completes when one of `events` (poll(2)) holds, or RDHUP, ERR or HUP, which the kernel always
  /// adds.
  void AddPoll(int fd, uint32_t events, uint64_t user_data);
  /// Completes at each such event, without looking whether one still holds (as EPOLLET does).
  void AddMultishotPoll(int fd, uint32_t events, uint64_t user_data);
  /// Hurries the completion of the request with that `user_data`.
  void Cancel(uint64_t user_data);
  void CancelAll();

  /// Submits all, and waits at most `wait_ms` for a completion (0: does not wait, negative: for as
  /// long as it takes).
  void Enter(int64_t wait_ms);
  /// handler(user_data, result, flags) for every completion that is there.  It must not Enter().
  template <typename Handler>
  void Drain(Handler&& handler) {
    unsigned head = 0;
    unsigned count = 0;
    io_uring_cqe* cqe;
    io_uring_for_each_cqe(&ring_, head, cqe) {
      handler(cqe->user_data, cqe->res, cqe->flags);
      ++count;
    }
    io_uring_cq_advance(&ring_, count);
  }

  io_uring& raw() { return ring_; }

 private:
  UringRing() { ring_.ring_fd = -1; }
  unsigned Flush();  // How many entries the kernel has still to take.

  io_uring ring_{};
  unsigned enter_flags_ = 0;
};

}  // namespace l4lb
