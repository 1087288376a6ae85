// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/socket_engine.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "glog/logging.h"

namespace l4lb {
namespace {

constexpr int kRoundsPerTurn = 8;  // Of ops that start ops, before the kernel is asked again.

int64_t Ask(int fd, unsigned long request) {
  int bytes = 0;
  return ::ioctl(fd, request, &bytes) == 0 ? bytes : 0;
}

}  // namespace

SocketEngine::SocketEngine(const EngineOptions& options)
    : clock_(options.clock != nullptr ? *options.clock : Clock::Real()),
      splicer_(options.pipe_count, options.max_fd, stats_) {
  // A splice to a socket that was reset raises SIGPIPE, and takes no MSG_NOSIGNAL.
  ::signal(SIGPIPE, SIG_IGN);
  now_ms_ = clock_.NowMs();
}

SocketEngine::~SocketEngine() { DCHECK(!has_work()) << "ops still in flight"; }

void SocketEngine::Start(Op& op) {
  DCHECK(!op.in_flight);
  op.in_flight = true;
  op.engine_flags = 0;
  op.error = 0;
}

void SocketEngine::MakeRunnable(Op& op) {
  if ((op.engine_flags & (kQueued | kEnding | kWantsBuffer)) != 0) return;
  op.engine_flags |= kQueued;
  runnable_.Push(op);
}

void SocketEngine::Defer(Op& op) {
  op.engine_flags |= kQueued;
  later_.Push(op);
}

bool SocketEngine::BeginCancel(Op& op) {
  if (!op.in_flight || (op.engine_flags & (kEnding | kCancelled)) != 0) return false;
  op.engine_flags |= kCancelled;
  if ((op.engine_flags & kWantsBuffer) != 0) {
    want_buffer_.Remove(op);
    op.engine_flags &= ~kWantsBuffer;
  }
  return true;
}

void SocketEngine::NoteReset(PumpOp& op) {
  if (op.from_was_reset || !op.holding()) return;
  op.from_was_reset = true;
  if (op.from_reset != nullptr) op.from_reset(op);
}

void SocketEngine::Advance(Op& op) {
  if ((op.engine_flags & kCancelled) != 0) return Abandon(op);
  switch (op.kind) {
    case Op::Kind::kAccept:
      return AdvanceAccept(static_cast<AcceptOp&>(op));
    case Op::Kind::kConnect:
      return AdvanceConnect(static_cast<ConnectOp&>(op));
    case Op::Kind::kPump:
      return AdvancePump(static_cast<PumpOp&>(op));
    case Op::Kind::kWatch:
      return AdvanceWatch(static_cast<WatchOp&>(op));
    case Op::Kind::kSend:
      return AdvanceSend(static_cast<SendOp&>(op));
    case Op::Kind::kRead:
      return AdvanceRead(static_cast<ReadOp&>(op));
    case Op::Kind::kWait:
      return;
  }
}

void SocketEngine::Conclude(Op& op, int error) {
  DCHECK((op.engine_flags & (kQueued | kWantsBuffer)) == 0) << "an op is in one queue at most";
  op.error = error;
  op.engine_flags |= kEnding;
  done_.Push(op);
}

void SocketEngine::RunOps() {
  runnable_.Append(later_);
  for (int round = 0; round < kRoundsPerTurn && !(runnable_.empty() && done_.empty()); ++round) {
    while (!runnable_.empty()) {
      Op& op = runnable_.Pop();
      op.engine_flags &= ~kQueued;
      Advance(op);
    }
    RunDone();
  }
}

void SocketEngine::RunDone() {
  OpQueue ended;
  ended.Append(done_);
  while (!ended.empty()) {
    Op& op = ended.Pop();
    op.in_flight = false;
    op.done(op);
  }
}

int64_t SocketEngine::WaitMs(int64_t wake_at_ms) const {
  if (has_work()) return 0;
  if (wake_at_ms == kForever) return -1;
  return std::clamp<int64_t>(wake_at_ms - clock_.NowMs(), 0, 1 << 30);
}

bool SocketEngine::HangUpIsReset(int fd) {
  int domain = AF_UNSPEC;
  socklen_t size = sizeof domain;
  ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size);
  return domain != AF_UNIX;
}

void SocketEngine::CloseSocket(int fd, CloseKind kind) {
  if (kind == CloseKind::kReset) {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  ::close(fd);
}

void SocketEngine::SetKeepalive(int fd, const KeepaliveSeconds& keepalive) {
  l4lb::SetKeepalive(fd, keepalive);
}

void SocketEngine::Shutdown(int fd) { ::shutdown(fd, SHUT_WR); }

int64_t SocketEngine::Unacked(int fd) { return Ask(fd, SIOCOUTQ); }

int64_t SocketEngine::Unsent(int fd) { return Ask(fd, SIOCOUTQNSD); }

int64_t SocketEngine::Unread(int fd) { return Ask(fd, FIONREAD); }

AckState SocketEngine::Acknowledgements(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return {.last_ack_ms = info.tcpi_last_ack_recv,
          .retransmits = info.tcpi_retransmits,
          .probes = info.tcpi_probes,
          .closed = info.tcpi_state == TCP_CLOSE};
}

}  // namespace l4lb
