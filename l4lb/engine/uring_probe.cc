// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/uring_probe.h"

#include <errno.h>
#include <sys/socket.h>

#include <optional>
#include <vector>

#include "l4lb/engine/make_engine.h"
#include "l4lb/engine/uring_buffers.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

constexpr uint64_t kProbe = 8;

// A connected pair of sockets.
struct Pair {
  UniqueFd ours;
  UniqueFd theirs;
};

std::optional<Pair> MakePair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
    return std::nullopt;
  }
  return Pair{.ours = UniqueFd(ends[0]), .theirs = UniqueFd(ends[1])};
}

// The result of the request, if it completes at once.
std::optional<int> Try(UringRing& ring) {
  std::optional<int> result;
  ring.Enter(/*wait_ms=*/0);
  ring.Drain([&result](uint64_t user_data, int32_t told, uint32_t) {
    if (user_data == kProbe) result = told;
  });
  return result;
}

std::optional<int> TrySend(UringRing& ring, int fd, const std::vector<char>& data) {
  io_uring_sqe& sqe = ring.Add(IORING_OP_SEND, fd, kProbe);
  sqe.addr = reinterpret_cast<uint64_t>(data.data());
  sqe.len = static_cast<uint32_t>(data.size());
  sqe.msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL;
  sqe.flags = IOSQE_CQE_SKIP_SUCCESS;
  return Try(ring);
}

}  // namespace

// A send that never waits must be silent when it was whole, and tell at once when it was not.
absl::Status ProbeRing(UringRing& ring) {
  const auto pair = MakePair();
  if (!pair) return absl::ErrnoToStatus(errno, "socketpair");
  if (TrySend(ring, pair->ours.get(), std::vector<char>(1))) {
    return absl::UnavailableError(
        "io_uring: sends do not skip their completions; Linux 6.1 or "
        "later is needed");
  }
  const std::vector<char> much(1 << 20);
  std::optional<int> told;
  while ((told = TrySend(ring, pair->ours.get(), much)).value_or(0) > 0) {
  }
  if (told == -EAGAIN) return absl::OkStatus();
  return absl::UnavailableError(
      "io_uring: a send to a full socket waits, though it must not; "
      "Linux 6.1 or later is needed");
}

bool HasCappedReceives(UringRing& ring) {
  const auto pair = MakePair();
  if (!pair) return false;
  io_uring_sqe& sqe = ring.Add(IORING_OP_RECV, pair->ours.get(), kProbe);
  sqe.flags = IOSQE_BUFFER_SELECT;
  sqe.buf_group = UringBuffers::kGroup;
  sqe.ioprio = IORING_RECV_MULTISHOT;
  sqe.len = 1;
  SetReceiveCap(sqe, 1);
  if (Try(ring)) return false;
  ring.Cancel(kProbe);
  (void)Try(ring);
  return true;
}

absl::Status UringAvailable() {
  const auto ring = UringRing::Open();
  if (!ring.ok()) return ring.status();
  UringBuffers buffers(/*buffer_bytes=*/4096, /*bound=*/1);
  if (const int error = buffers.Register((*ring)->raw()); error != 0) {
    return absl::UnavailableError("io_uring: no rings of buffers; Linux 6.1 or later is needed");
  }
  return ProbeRing(**ring);
}

}  // namespace l4lb
