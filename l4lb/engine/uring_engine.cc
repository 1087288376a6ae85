// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/uring_engine.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/status/status.h"
#include "glog/logging.h"
#include "l4lb/engine/uring_probe.h"

namespace l4lb {

absl::StatusOr<std::unique_ptr<Engine>> MakeUringEngine(const EngineOptions& options) {
  UniqueFd wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake) return absl::ErrnoToStatus(errno, "eventfd");
  auto ring = UringRing::Open();
  if (!ring.ok()) return ring.status();
  if (absl::Status status = ProbeRing(**ring); !status.ok()) return status;
  auto buffers = std::make_unique<UringBuffers>(options.buffer_bytes, options.buffer_count);
  if (const int error = buffers->Register((*ring)->raw()); error != 0) {
    return absl::ErrnoToStatus(error, "io_uring_register_buf_ring");
  }
  const bool capped_receives = !options.uring_basics_only && HasCappedReceives(**ring);
  return std::make_unique<UringEngine>(options, std::move(wake), capped_receives,
                                       std::move(buffers), *std::move(ring));
}

UringEngine::UringEngine(const EngineOptions& options, UniqueFd wake, bool capped_receives,
                         std::unique_ptr<UringBuffers> buffers, std::unique_ptr<UringRing> ring)
    : SocketEngine(options),
      capped_receives_(capped_receives),
      wake_(std::move(wake)),
      buffers_(std::move(buffers)),
      ring_(std::move(ring)) {
  ArmWake();
}

UringEngine::~UringEngine() {
  // An fd that is to be closed waits for its watch.
  ring_->CancelAll();
  for (int turn = 0; watches_ > 0 && turn < 100; ++turn) {
    ring_->Enter(/*wait_ms=*/10);
    ring_->Drain([this](uint64_t user_data, int32_t result, uint32_t flags) {
      if ((user_data & kRequestMask) != static_cast<uint64_t>(Request::kFd)) return;
      OnFd(static_cast<int>(user_data >> 3), result, flags);
    });
  }
}

void UringEngine::Poll(int64_t wake_at_ms) {
  if (!to_watch_.empty()) wake_at_ms = std::min(wake_at_ms, to_watch_.front().at_ms);
  submitted_at_ms_ = now_ms_;
  ring_->Enter(WaitMs(wake_at_ms));
  now_ms_ = clock_.NowMs();
  ring_->Drain([this](uint64_t user_data, int32_t result, uint32_t flags) {
    OnCompletion(user_data, result, flags);
  });
  EndSends();
  StartDueWatches();
  RunOps();
  buffers_->Fill();
  ++stats_.turns;
  stats_.buffers_in_use = buffers_->in_use();
  splicer_.Report();
}

void UringEngine::Wake() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);  // Fails only when a wake-up is pending anyway.
}

// Every write is an event of its own, so nobody need read the eventfd.
void UringEngine::ArmWake() {
  ring_->AddMultishotPoll(wake_.get(), POLLIN, static_cast<uint64_t>(Request::kWake));
}

void UringEngine::OnCompletion(uint64_t user_data, int32_t result, uint32_t flags) {
  if (user_data == UringRing::kIgnored) return;
  const auto request = static_cast<Request>(user_data & kRequestMask);
  Op* const op = std::bit_cast<Op*>(user_data & ~kRequestMask);
  switch (request) {
    case Request::kReceive:
      return OnReceive(static_cast<PumpOp&>(*op), result, flags);
    case Request::kSend:
      return OnSend(static_cast<PumpOp&>(*op), result);
    case Request::kReadable:
      return OnReadable(static_cast<PumpOp&>(*op));
    case Request::kPoll:
      return OnPoll(*op, result);
    case Request::kFd:
      return OnFd(static_cast<int>(user_data >> 3), result, flags);
    case Request::kWake:
      if ((flags & IORING_CQE_F_MORE) == 0) ArmWake();
      return;
  }
}

void UringEngine::WaitFor(Op& op, int fd, uint32_t events) {
  op.engine_flags |= kRequest;
  ring_->AddPoll(fd, events, Tag(op, Request::kPoll));
}

void UringEngine::OnPoll(Op& op, int32_t result) {
  op.engine_flags &= ~kRequest;
  if (result > 0 && (result & (POLLERR | POLLHUP)) != 0) op.engine_flags |= kBroken;
  MakeRunnable(op);
}

void UringEngine::Cancel(Op& op) {
  if (!BeginCancel(op)) return;
  if ((op.engine_flags & kRequest) != 0) return ring_->Cancel(Tag(op, Request::kPoll));
  if (op.kind == Op::Kind::kPump) return CancelPump(static_cast<PumpOp&>(op));
  MakeRunnable(op);
}

void UringEngine::Abandon(Op& op) {
  if (op.kind == Op::Kind::kPump) {
    AdvancePump(static_cast<PumpOp&>(op));
  } else if (op.kind == Op::Kind::kConnect) {
    FinishConnect(static_cast<ConnectOp&>(op), ECANCELED);
  } else if (op.kind == Op::Kind::kAccept && static_cast<AcceptOp&>(op).empty_backlog) {
    AdvanceAccept(static_cast<AcceptOp&>(op));
  } else {
    Finish(op, ECANCELED);
  }
}

void UringEngine::Finish(Op& op, int error) {
  Occupy(fds_, op, nullptr);
  Conclude(op, error);
}

}  // namespace l4lb
