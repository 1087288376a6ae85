// SPDX-License-Identifier: Apache-2.0
//
// One client connection and the backend connection that serves it.  Open() and, after the pumps,
// Leave() tell its life in order: session.cc; session_connect.cc has how it gets its backend,
// session_end.cc how the ends are closed, session_watch.cc the deadlines, session_age.cc that of
// its age.  Knows no engine: only the seam.
//
// Life: made by a Listener with an accepted fd and a place; Start(); whatever happens, it ends by
// itself and tells the listener (SessionHost::OnSessionEnded), which frees it at the end of the
// turn.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <vector>

#include "l4lb/backend/tried.h"
#include "l4lb/backend/worker_pool.h"
#include "l4lb/engine/engine.h"
#include "l4lb/net/ip_endpoint.h"
#include "l4lb/observe/session_record.h"
#include "l4lb/observe/status.h"
#include "l4lb/observe/timings.h"
#include "l4lb/proxy/session_phases.h"
#include "l4lb/proxy/task.h"
#include "l4lb/proxy/worker_context.h"

namespace l4lb {

class Session;

/// What a session needs to know of its listener.
struct SessionSettings {
  int64_t idle_timeout_ms = 3'600'000;
  int64_t half_close_timeout_ms = 300'000;
};

/// The listener, as its sessions see it.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  virtual WorkerContext& context() = 0;
  virtual WorkerPool& pool() = 0;
  virtual ListenerCounters& counters() = 0;
  virtual ListenerTimingCounters& timings() = 0;
  virtual const SessionSettings& settings() const = 0;
  virtual const SessionNames& names() const = 0;
  /// The listener's, the same on all workers.
  virtual uint32_t id() const = 0;
  virtual uint64_t NextSessionId() = 0;
  /// Accepting would only take clients that nobody can serve.
  virtual void OnNoFd() = 0;
  /// The session's last word: both fds are closed, no op is in flight.
  virtual void OnSessionEnded(Session& session) = 0;
};

class Session : private Timer {  // That of its deadlines.
 public:
  Session(SessionHost& host, int client_fd, const SocketAddress& client);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void Start();
  /// Instead of serving it, for it is one too many.  Before Start().
  void Refuse(Limit limit);
  /// Ends the session, for this reason unless it is ending already.
  void Close(CloseReason reason);
  /// Ends it without waiting for anything any more.  After Close().
  void Hurry();
  /// Brings the listener's counters up to date with what moved since the last call.
  void Refresh();
  /// What limits its time may have changed.
  void ReviewDeadlines();

  uint64_t id() const { return id_; }
  const SessionHost& host() const { return host_; }
  /// That it has a lease on; null: none.
  const Backend* backend() const { return lease_.backend(); }
  bool ending() const { return reason_set_; }
  CloseReason reason() const { return reason_; }
  Phase phase() const;
  int64_t now_ms() const { return engine().now_ms(); }
  int64_t started_ms() const { return started_ms_; }
  /// When a byte last moved, or whatever else counts as movement.
  int64_t LastMovedMs() const;
  uint64_t BytesDelivered() const { return Delivered(kClient) + Delivered(kBackend); }
  SessionStatus Status() const;
  const IpEndpoint& client() const { return client_; }
  /// It counts for its source.
  bool entered() const {
    return limit_ != Limit::source_connections && limit_ != Limit::source_rate;
  }
  BlockPool& blocks() { return host_.context().blocks; }

  // The worker's list of live sessions.
  Session* before = nullptr;
  Session* after = nullptr;

 private:
  // How long an end may take to get what was sent to it before it is reset, without progress.
  static constexpr int64_t kResetLingerMs = 500;
  // From when on the backend's connection has keepalive: short sessions save the system calls.
  static constexpr int64_t kSettleMs = 1'000;
  // Until a UNIX backend with a full backlog is tried again.
  static constexpr int64_t kFirstRetryMs = 10;
  static constexpr int64_t kLastRetryMs = 250;
  static constexpr int32_t kNever = -1;
  // What is read and dropped of a client that is being closed, and for how long.
  static constexpr int64_t kDropBytes = 256 << 10;
  static constexpr int64_t kDropMs = 1'000;

  enum End : uint8_t { kClient = 0, kBackend = 1 };

  // One of the two connections, and what its pump (the one that reads from it) has accounted.
  struct Side {
    int fd = -1;
    bool finished = false;   // Its FIN came, and everything before it was delivered.
    bool was_reset = false;  // Some op saw a reset there: a clean end afterwards is none.
    bool given_fin = false;  // The other side's FIN was passed on to it.
    bool cut = false;        // It had bytes that will not be delivered.
    uint32_t queue = 0;      // Its send queue at the last look: what shrinks, moves.
    uint64_t taken = 0;
    uint64_t delivered = 0;
  };

  // Awaitables: references only, trivially destructible (task.h).
  struct Ended {
    Session& session;
    Op& op;
    bool await_ready() const { return !op.in_flight; }
    void await_suspend(std::coroutine_handle<> run) {
      Chapter& chapter = *session.chapter();
      chapter.run = run;
      chapter.awaited = &op;
    }
    void await_resume() const {}
  };
  struct Slept {
    Session& session;
    int64_t ms;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> run) {
      Chapter& chapter = *session.chapter();
      chapter.run = run;
      chapter.sleeping = true;
      session.ArmIn(ms);
    }
    void await_resume() const {}
  };
  Ended Until(Op& op) { return {*this, op}; }
  Slept For(int64_t ms) { return {*this, ms}; }

  // session.cc: the life.
  Task Open();
  void BeginPumps();
  void EndPumps();
  void TellBackend();
  Task Leave();
  void OnWatchEnded(WatchOp& op);
  void OnOpEnded(Op& op);
  void OnPumpEnded(PumpOp& pump);
  void OnFinished(End end);
  void OnFailed(End end, int error);
  void Resume(const Op& op);
  void SetReason(CloseReason reason);
  void CancelAll();
  void CancelOps();  // All but the watch.

  // session_connect.cc: from the pick to a connected backend.
  bool BeginPick();
  bool BeginWait(Backend* only);
  bool EndPick();
  void BeginConnect();
  int64_t AgainInMs() const;
  bool EndConnect();
  void OnConnectFailed(int error);
  int64_t ConnectLeftMs() const;
  absl::Span<Backend* const> tried() const {
    return tried_ ? tried_->all() : absl::Span<Backend* const>();
  }

  // session_watch.cc: deadlines.
  static void OnTimer(Timer& timer);
  void CheckConnection();
  void Rearm();
  void Settle();
  void ArmIn(int64_t ms);
  int64_t LeftMs() const;
  void Look(End end);
  bool IsLost(End end) const;
  void Account();

  // session_age.cc: the age limit.
  int64_t AgeWaitMs() const;
  int64_t QuietWaitMs(int64_t quiet_ms) const;
  bool BackendSpokeLast() const;
  bool NothingUnderWay() const;

  // session_end.cc: closing the ends.
  bool parting() const;
  bool commanded() const;
  void TellClient();
  int64_t CloseEnds();
  int64_t CloseOrWait(End end);
  bool MustReset(End end) const;
  void BeginDrop();
  bool DropMore();
  void CloseNow(End end, CloseKind kind);
  void Finish();

  // session_status.cc: what it says of itself.
  uint64_t Delivered(End end) const;  // Of what this end sent.
  SessionRecord Record() const;

  Engine& engine() const { return host_.context().engine; }
  Side& side(End end) { return sides_[end]; }
  const Side& side(End end) const { return sides_[end]; }
  static End Other(End end) { return end == kClient ? kBackend : kClient; }
  bool connected() const { return connect_ms_ != kNever; }
  int32_t SinceStart(int64_t at_ms) const {
    return static_cast<int32_t>(std::min<int64_t>(at_ms - started_ms_, INT32_MAX));
  }
  bool half_closed() const { return side(kClient).finished || side(kBackend).finished; }
  // Null while pumping.
  Chapter* chapter() {
    if (auto* opening = std::get_if<Opening>(&phase_)) return opening;
    return std::get_if<Closing>(&phase_);
  }
  Opening& opening() { return std::get<Opening>(phase_); }
  ConnectOp& connect() { return std::get<ConnectOp>(opening().reach); }
  const ConnectOp& connect() const { return const_cast<Session*>(this)->connect(); }
  WaitOp& wait() { return std::get<WaitOp>(opening().reach); }
  bool pumping() const { return std::holds_alternative<Pumps>(phase_); }
  PumpOp& pump_from(End end) {
    Pumps& pumps = std::get<Pumps>(phase_);
    return end == kClient ? pumps.from_client : pumps.from_backend;
  }
  const PumpOp& pump_from(End end) const { return const_cast<Session*>(this)->pump_from(end); }

  SessionHost& host_;
  Lease lease_;
  std::unique_ptr<Tried> tried_;  // That failed to connect; null before the first.
  Side sides_[2];
  SessionPhase phase_;
  const uint64_t id_;
  int64_t started_ms_;
  int64_t moved_ms_ = 0;  // Anything happened that counts as movement, other than in a pump; the
                          // wait or the attempt to connect began.
  int32_t connect_ms_ = kNever;     // From the start to the connected backend;
  int32_t first_byte_ms_ = kNever;  // to its first byte.
  int32_t queue_ms_ = 0;            // Waiting for a place, in all.
  IpEndpoint client_;
  uint16_t attempts_ = 0;
  uint16_t sources_left_ = 0;                     // Of ours that this attempt may still try.
  Limit limit_ = Limit::none;                     // With CloseReason::limit.
  CloseReason reason_ = CloseReason::no_backend;  // Before reason_set_: what the last attempt says.
  End first_finished_ = kClient;
  bool reason_set_ : 1 = false;
  bool timed_out_ : 1 = false;  // This wait, or this attempt to connect.
  bool in_queue_ : 1 = false;   // It waits for a place, or ended for want of one.
  bool resetting_ : 1 = false;  // An end was reset: what it sent before may still be delivered.
  bool hurry_ : 1 = false;
  bool settled_ : 1 = false;  // It lives long enough for keepalive to matter.
};

}  // namespace l4lb
