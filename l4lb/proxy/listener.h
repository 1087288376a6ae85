// SPDX-License-Identifier: Apache-2.0
//
// One configured listener on one worker: accepts on its sockets, starts sessions, and frees them.
// Without a free place or a file descriptor it stops accepting, and the clients wait in the
// kernel's backlog: accepting and closing would only breed reconnects.  A session may also come
// from another worker (TakeOver()), and an accepted connection may go to one (Crew).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "l4lb/net/listen.h"
#include "l4lb/observe/meters.h"
#include "l4lb/proxy/listener_limits.h"
#include "l4lb/proxy/session.h"
#include "l4lb/proxy/worker_context.h"

namespace l4lb {

/// One that listens; whoever gets it closes it.
struct ListenSocket {
  uint32_t address = 0;  // The number of its address, the same on all workers.
  int fd = -1;
};

/// How far a worker is with giving a listener up.  Any thread may read it.
struct ListenerProgress {
  /// It accepts no more, and nothing that was accepted waits; others may still hand over.
  std::atomic<bool> closed{false};
  /// The worker has forgotten it.
  std::atomic<bool> removed{false};
};

struct ListenerPlan {
  uint32_t id = 0;  // The same on all workers.
  const SessionNames* names = nullptr;
  SessionSettings settings;
  WorkerPool* pool = nullptr;
  ListenerLimits* limits = nullptr;
  std::vector<ListenSocket> sockets;
  std::shared_ptr<ListenerMeters> meters;
  std::shared_ptr<ListenerProgress> progress;
};

class Listener final : public SessionHost {
 public:
  static constexpr int64_t kRetryMs = 100;     // After a lack of fds or places.
  static constexpr int64_t kSayEachMs = 5000;  // That such a lack lasts.

  Listener(WorkerContext& context, ListenerPlan plan);
  ~Listener() override;

  void Open();
  /// From now on these count, also for the sessions that are there.
  void Change(const SessionNames& names, const SessionSettings& settings);
  /// Sets the options anew that accepted connections inherit.
  void Tune(const ListenOptions& options);
  /// Another descriptor for its socket on this address, for who takes its place; -1 when it has
  /// none, or none is free.
  int ShareSocket(uint32_t address);
  /// No new sessions: takes what already waits in the backlog, then closes the sockets.
  void Stop();
  void CloseSessions(CloseReason reason);
  void HurrySessions();
  void RefreshSessions();
  void ForEachSession(absl::FunctionRef<void(Session& session)> visit);
  /// A session that another worker has accepted, with its places taken; Crew counts it as ours.
  void TakeOver(int fd, const SocketAddress& client);
  /// To be called at the end of every turn: frees what ended.  True when that made room.
  bool EndTurn();
  /// Accepts nothing until descriptors are free.
  void PauseForFd(const char* what);
  /// Goes on with what had to wait, if there is room now.
  void TryResume();
  /// No socket is open, and nothing that was accepted waits: no session will begin here any more
  /// but those that other workers hand over.
  bool closed() const;
  /// closed(), and no session is left.
  bool idle() const { return closed() && live_ == nullptr && ended_ == nullptr; }
  /// Nothing will be handed over to it any more: forget it once it is idle.
  void Remove() { removing_ = true; }
  bool removing() const { return removing_; }
  bool forgettable() const { return removing_ && idle(); }

  // SessionHost.
  WorkerContext& context() override { return context_; }
  WorkerPool& pool() override { return *plan_.pool; }
  ListenerCounters& counters() override { return plan_.meters->counters; }
  ListenerTimingCounters& timings() override { return plan_.meters->timings; }
  const SessionSettings& settings() const override { return plan_.settings; }
  const SessionNames& names() const override { return *plan_.names; }
  uint32_t id() const override { return plan_.id; }
  uint64_t NextSessionId() override;
  void OnNoFd() override;
  void OnSessionEnded(Session& session) override;

 private:
  struct Acceptor {
    uint32_t address = 0;
    int fd = -1;          // The engine closes it.
    bool shared = false;  // Another listener has the socket, too, and takes what waits there.
    AcceptOp op;
  };
  // What a connection must wait for.
  struct Lack {
    Counter ListenerCounters::*counter;
    const char* what;
    int64_t wait_ms = kRetryMs;  // Until it is worth another look.
    bool of_places = true;       // Which Lacking() sees.
    bool fed = true;             // Crew::Feed() may end it before that.
  };
  struct Parked {
    int fd;
    SocketAddress peer;
  };

  void OnAccepted(int fd, const SocketAddress& peer);
  void OnAcceptEnded(AcceptOp& op);
  std::optional<Lack> Lacking() const;
  std::optional<Lack> TakePlaces();
  void GivePlaces();
  void Admit(int fd, const SocketAddress& peer);         // Its places are taken.
  void StartSession(int fd, const SocketAddress& peer);  // Likewise, and Crew has counted it.
  void Pause(const Lack& lack);
  void WaitFor(const Lack& lack);
  void RetryIn(int64_t wait_ms);

  WorkerContext& context_;
  ListenerPlan plan_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::deque<Parked> parked_;           // Accepted when no place was free any more; served first.
  OwnedTimer retry_;                    // Armed while paused or something is parked.
  Session* live_ = nullptr;             // Doubly linked.
  Session* ended_ = nullptr;            // Singly linked; freed at the end of the turn.
  int64_t said_ms_ = INT64_MIN / 2;     // When a pause was last reported.
  std::optional<CloseReason> closing_;  // What CloseSessions() was told: also for who comes later.
  bool hurry_ = false;                  // Likewise Hurry().
  bool paused_ = false;
  bool short_of_fds_ = false;  // That is why.
  bool stopping_ = false;
  bool removing_ = false;
};

}  // namespace l4lb
