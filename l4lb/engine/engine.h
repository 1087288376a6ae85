// SPDX-License-Identifier: Apache-2.0
//
// THE SEAM between what the balancer decides and how bytes move.
//
// One Engine per worker, made and used on the worker's own thread; only Wake() may be called from
// elsewhere.  It is cut at the work ("accept from here", "pump from this fd to that one until the
// end"), so that readiness (epoll) and completion (io_uring) fit behind it alike.
//
// Ops.  An op is owned by its caller, must neither move nor die while in flight, and ends by
// exactly one done(), which runs only from inside Poll() and is the engine's last touch of the op.
// No callback ever runs from inside the call that starts or cancels.  done() may start, cancel and
// close whatever it likes, the same op included.
//
// Pumps.  Back pressure is implied: a pump holds at most two buffers or one pipe, and while it
// holds bytes it does not read, yet still notices that `from` was reset (`from_reset`).  An idle
// pump holds nothing.  A FIN at `from` ends the pump with 0 once `to` has everything; passing it on
// is the owner's Shutdown(to).  The kernel reports a reset of a socket only once, to whichever of
// its two pumps asks first; the other may see a clean end.  So an error at `to` ends that pump
// only, and the owner remembers per end whether any op saw a reset there.
//
// Fds.  Everything that touches a connected socket is a verb of the engine; nobody else may.
// Engines know no time-outs and no half-close policy, sessions know no engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "l4lb/engine/op.h"

namespace l4lb {

enum class CloseKind : uint8_t {
  kFin,    // Orderly.  The kernel still sends RST if input was left unread.
  kReset,  // RST at once; what was not acknowledged is thrown away.
};

/// What TCP knows of the peer's acknowledgements (tcp(7), TCP_INFO).
struct AckState {
  int64_t last_ack_ms = 0;  // Since the last ACK of the peer.
  int retransmits = 0;      // Unanswered in a row.
  int probes = 0;           // Unanswered zero-window probes in a row.
  bool closed = false;      // The connection is no more: reset, or given up.
};

/// Owned by the engine's thread, read by others through WorkerCounters only.
struct EngineStats {
  uint64_t turns = 0;           // Poll() calls that returned.
  uint64_t copied_bytes = 0;    // Through a buffer.
  uint64_t spliced_bytes = 0;   // Through a pipe.
  uint32_t buffers_in_use = 0;  // Held by pumps that could not deliver.
  uint32_t buffer_waits = 0;    // Pumps that had to wait for a buffer, ever.
  uint32_t pipes_open = 0;
  uint32_t pipes_in_use = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual void Accept(AcceptOp& op) = 0;
  virtual void Connect(ConnectOp& op) = 0;
  /// `prefix`: delivered first, and counted as taken from the start; the owner's until it is
  /// delivered or the op is done.
  virtual void Pump(PumpOp& op, std::string_view prefix) = 0;
  virtual void Watch(WatchOp& op) = 0;
  virtual void Send(SendOp& op) = 0;
  virtual void Read(ReadOp& op) = 0;

  /// Hurries done(): ECANCELED, unless the op was ending anyway.  An op not in flight: no effect.
  virtual void Cancel(Op& op) = 0;

  /// TCP keepalive of a connected socket; without effect on other kinds.
  virtual void SetKeepalive(int fd, const KeepaliveSeconds& keepalive) = 0;
  /// Sends our FIN (shutdown(SHUT_WR)).  A peer that is already gone is not an error.
  virtual void Shutdown(int fd) = 0;
  /// No op may be in flight on `fd`.
  virtual void Close(int fd, CloseKind kind) = 0;

  virtual int64_t Unacked(int fd) = 0;  ///< Bytes the peer has not acknowledged (SIOCOUTQ).
  virtual int64_t Unsent(
      int fd) = 0;  ///< Of these, not even sent: its window is full (SIOCOUTQNSD).
  virtual int64_t Unread(int fd) = 0;  ///< Bytes received and not yet read (FIONREAD).
  virtual AckState Acknowledgements(int fd) = 0;

  /// One turn: waits for events until `wake_at_ms` at most (in the time of now_ms(); a past time
  /// polls, kForever waits for events only), then runs callbacks.
  static constexpr int64_t kForever = INT64_MAX;
  virtual void Poll(int64_t wake_at_ms) = 0;
  /// Makes the current or next Poll() return soon.  Any thread.
  virtual void Wake() = 0;

  /// The turn's one reading of the clock, taken when the wait returned.
  int64_t now_ms() const { return now_ms_; }
  const EngineStats& stats() const { return stats_; }

 protected:
  int64_t now_ms_ = 0;
  EngineStats stats_;
};

}  // namespace l4lb
