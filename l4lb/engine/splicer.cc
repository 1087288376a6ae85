// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/splicer.h"

#include <errno.h>
#include <fcntl.h>

#include "l4lb/engine/pump_progress.h"

namespace l4lb {
namespace {

ssize_t Splice(int from, int to, size_t bytes) {
  ssize_t n;
  do {
    n = ::splice(from, nullptr, to, nullptr, bytes, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  } while (n < 0 && errno == EINTR);
  return n;
}

}  // namespace

Splicer::Filled Splicer::Fill(PumpOp& op, int64_t now_ms) {
  Pipe* const pipe = pipes_.Take();
  if (pipe == nullptr) return {.outcome = Outcome::kNoPipe};
  const ssize_t n = Splice(op.from, pipe->write_end.get(), Share(now_ms));
  if (n > 0) {
    pipe->held = n;
    NoteTaken(op, n, now_ms, stats_);
    return {.outcome = Outcome::kMoved, .pipe = pipe};
  }
  const int error = n < 0 ? errno : EAGAIN;
  pipes_.Give(pipe);
  // The pipe was empty, so EAGAIN reads "the socket is".
  if (error == EAGAIN) return {.outcome = Outcome::kEmpty};
  if (error == ENOMEM) return {.outcome = Outcome::kNoPipe};
  if (error == EINVAL) return {.outcome = Outcome::kCannot};
  return {.outcome = Outcome::kFailed, .error = error};
}

int Splicer::Deliver(PumpOp& op, Pipe& pipe, int64_t now_ms) {
  const ssize_t n = Splice(pipe.read_end.get(), op.to, pipe.held);
  if (n < 0) return errno;
  NoteDelivered(op, n, now_ms);
  pipe.held -= n;
  stats_.spliced_bytes += n;
  return 0;
}

void Splicer::Report() {
  stats_.pipes_open = pipes_.open();
  stats_.pipes_in_use = pipes_.in_use();
}

}  // namespace l4lb
