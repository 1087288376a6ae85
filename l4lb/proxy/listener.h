// SPDX-License-Identifier: Apache-2.0
//
// One configured listener on one worker: accepts on its sockets, starts sessions, and frees them.
// Without a free place or a file descriptor it stops accepting, and the clients wait in the
// kernel's backlog: accepting and closing would only breed reconnects.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "l4lb/proxy/session.h"
#include "l4lb/proxy/worker_context.h"

namespace l4lb {

struct ListenerPlan {
  const SessionNames* names = nullptr;
  SessionSettings settings;
  WorkerPool* pool = nullptr;
  std::vector<int> sockets;  // Listening, one per address; the listener closes them.
};

class Listener final : public SessionHost {
 public:
  static constexpr int64_t kRetryMs = 100;     // After a lack of fds or places.
  static constexpr int64_t kSayEachMs = 5000;  // That such a lack lasts.

  Listener(WorkerContext& context, ListenerPlan plan);
  ~Listener() override;

  void Open();
  /// No new sessions: takes what already waits in the backlog, then closes the sockets.
  void Stop();
  void CloseSessions(CloseReason reason);
  void HurrySessions();
  void RefreshSessions();
  /// To be called at the end of every turn: frees what ended, and goes on accepting if that made
  /// room.
  void EndTurn();
  /// No socket is open and no session is left.
  bool idle() const;

  // SessionHost.
  WorkerContext& context() override { return context_; }
  WorkerPool& pool() override { return *plan_.pool; }
  ListenerCounters& counters() override { return counters_; }
  const ListenerCounters& counters() const { return counters_; }
  const SessionSettings& settings() const override { return plan_.settings; }
  const SessionNames& names() const override { return *plan_.names; }
  uint64_t NextSessionId() override;
  void OnNoFd() override;
  void OnSessionEnded(Session& session) override;

 private:
  struct Acceptor {
    int fd = -1;  // The engine closes it.
    AcceptOp op;
  };
  struct Parked {
    int fd;
    SocketAddress peer;
  };

  void OnAccepted(int fd, const SocketAddress& peer);
  void OnAcceptEnded(AcceptOp& op);
  void StartSession(int fd, const SocketAddress& peer);  // A place is taken.
  void Pause(const char* why);
  void ArmRetry();
  void TryResume();

  WorkerContext& context_;
  const ListenerPlan plan_;
  ListenerCounters counters_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::deque<Parked> parked_;        // Accepted when no place was free any more; served first.
  Timer retry_;                      // Armed while paused.
  Session* live_ = nullptr;          // Doubly linked.
  Session* ended_ = nullptr;         // Singly linked; freed at the end of the turn.
  int64_t said_ms_ = INT64_MIN / 2;  // When a pause was last reported.
  bool paused_ = false;
  bool stopping_ = false;
};

}  // namespace l4lb
