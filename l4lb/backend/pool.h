// SPDX-License-Identifier: Apache-2.0
//
// A pool as all workers share it: its backends' places, its own, and the queue of the sessions that
// wait for one.  PoolSnapshot is what sessions read: immutable, made by the control thread.
//
// The race that matters: a place becomes free while a session decides to wait.  Who gives a place
// back first takes it away from the counts and then looks for waiters; who waits first enters the
// queue and then looks for places; both steps are sequentially consistent, so one sees the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "l4lb/backend/active_table.h"
#include "l4lb/backend/backend.h"
#include "l4lb/backend/places.h"
#include "l4lb/backend/wait_list.h"
#include "l4lb/balance/flow_key.h"
#include "l4lb/balance/lookup.h"
#include "l4lb/balance/policy.h"
#include "l4lb/net/listen.h"

namespace l4lb {

struct PoolLimits {
  int64_t max_connections = 0;  // 0: no limit.
  int64_t queue = 1024;         // How many may wait.
};

/// What a backend may be given.
struct BackendTerms {
  uint32_t weight = 1;          // 0: it takes nobody, waiting or not.
  int64_t max_connections = 0;  // 0: no limit.
  bool open = true;             // Else it takes nobody either.

  bool takes_sessions() const { return weight > 0 && open; }

  friend bool operator==(const BackendTerms&, const BackendTerms&) = default;
};

/// Of one backend.
struct SlowStartTerms {
  int64_t begin_ms = 0;  // Of Clock::NowMs().
  int64_t end_ms = 0;
  /// Of how many picks it is a candidate at the end, of 1.  A policy that gives a backend what it
  /// was passed over for would else undo it.
  double candidacy = 1;
};

class Pool {
 public:
  /// How long a backend that could not be connected to is avoided, as long as there are others.
  static constexpr int64_t kAvoidMs = 1'000;

  Pool(std::string name, const PoolLimits& limits);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  const std::string& name() const { return name_; }
  const ActiveTable& table() const { return table_; }
  const Places& places() const { return places_; }
  int64_t queue_limit() const { return queue_limit_.load(std::memory_order_relaxed); }

  // Control thread.

  void SetLimits(const PoolLimits& limits);
  /// Who hears of failures, without a lock held and on the thread that met them: with a backend's
  /// id, that it has failed too often in a row; with 0, that one has failed after a time without.
  /// Before any worker knows the pool.
  void SetFailureSink(std::function<void(uint64_t backend)> sink) { sink_ = std::move(sink); }
  void SetStreakRule(const StreakRule& rule);
  /// The next failure is told again.
  void AwaitFailure() { failing_.store(false, std::memory_order_relaxed); }
  /// It gets its full share only after this slow start.
  void BeginSlowStart(Backend& backend, const SlowStartTerms& terms);
  void EndSlowStart(Backend& backend);
  /// A new backend.  Null when all ActiveTable::kMostSlots slots are in use.
  std::shared_ptr<Backend> Add(std::string name, const SocketAddress& address,
                               const BackendTerms& terms);
  /// From now on these count; what it has, it keeps.  Who waits for it alone, and would wait in
  /// vain, is sent to pick anew.
  void SetTerms(Backend& backend, const BackendTerms& terms);
  /// Nobody holds a lease on it, waits for it or remembers it.  Of one that takes nobody and that
  /// no snapshot names, this stays so.
  bool IsUnused(const std::shared_ptr<Backend>& backend) const;
  /// Forgets it and frees its slot.  It IsUnused().
  void Forget(std::shared_ptr<Backend> backend);

  // Any thread.

  /// Some backend is avoided until then.
  int64_t avoiding_until_ms() const { return avoiding_until_ms_.load(std::memory_order_relaxed); }
  /// Some backend may be in its slow start until then.
  int64_t slow_until_ms() const { return slow_until_ms_.load(std::memory_order_relaxed); }
  /// A lease, if backend and pool both have a place.
  Lease TryAcquire(Backend& backend);
  /// Somebody waits for a place that the backend's would do for: who comes now goes to the end of
  /// the queue.
  bool awaited(const Backend& backend) const;
  int64_t waiting() const { return waiting_.load(); }
  /// Puts a wait at the end of the queue; its lease is posted to its inbox, perhaps at once.  False
  /// when the queue is full.
  bool Enqueue(WaitOp& wait);
  /// Takes it out, unless its lease has been posted already.
  void Leave(WaitOp& wait);

 private:
  friend class Backend;
  friend class Lease;

  void GiveBack(Backend& backend);
  bool TryTake(Backend& backend);
  void Vacate(Backend& backend);
  bool HandOver(Backend& backend);
  void Serve();
  void TakeOut(WaitOp& wait);                  // Under the mutex.
  void Count(const WaitOp& wait, int change);  // Likewise.
  void Dismiss(Backend& backend);
  StreakRule streak_rule() const;
  void NoteFailure(uint64_t streak_of);

  const std::string name_;
  std::atomic<int64_t> queue_limit_;
  ActiveTable table_;
  Places places_;
  std::atomic<int64_t> waiting_{0};
  std::atomic<int64_t> waiting_for_any_{0};
  std::atomic<int64_t> avoiding_until_ms_{0};
  std::atomic<int64_t> slow_until_ms_{0};
  std::atomic<int> streak_limit_{0};
  std::atomic<int64_t> streak_window_ms_{0};
  std::atomic<bool> failing_{false};
  std::function<void(uint64_t backend)> sink_;

  // All below; std::mutex, which ThreadSanitizer knows (Debian's abseil is not built for it).
  std::mutex mutex_;
  WaitList waits_;
  std::vector<std::shared_ptr<Backend>> backends_;  // By slot; null where the slot is free.
};

/// When a session is so old that it ends, at a quiet moment if there is one within `grace_ms`.
struct AgeLimit {
  int64_t age_ms = 0;       // 0: no limit.
  int jitter_percent = 10;  // Each session has an age of its own: age x (1 +- jitter).
  int64_t quiet_ms = 200;   // Of silence, after bytes to the client.
  int64_t grace_ms = 30'000;

  friend bool operator==(const AgeLimit&, const AgeLimit&) = default;
};

/// How a backend that is back, or new, gets its share of new sessions.
struct SlowStart {
  int64_t time_ms = 0;  // 0: at once.
  int floor_percent = 10;

  /// Its share so long after it began, of 1: at first the floor, then in proportion to the time.
  double ShareAfter(int64_t elapsed_ms) const {
    if (elapsed_ms >= time_ms) return 1;
    const double share = static_cast<double>(elapsed_ms) / static_cast<double>(time_ms);
    return std::max(share, floor_percent / 100.0);
  }
};

struct PoolSnapshot {
  struct Member {
    std::shared_ptr<Backend> backend;
    uint32_t weight = 1;
  };

  std::shared_ptr<Pool> pool;
  PolicyKind policy = PolicyKind::kLeastConnections;
  int64_t connect_timeout_ms = 5'000;
  int retries = 2;  // Further backends tried after one failed to connect.
  KeepaliveSeconds keepalive;
  int64_t dead_after_ms = 60'000;  // 0: a silent peer is left to the kernel.
  AgeLimit max_age;
  SlowStart slow_start;  // Not of the policies maglev and ring.
  int64_t queue_timeout_ms = 5'000;
  bool queue_per_backend = false;  // Pick whether full or not, then wait for that one.
  std::vector<SocketAddress>
      sources;                  // Our addresses toward backends.  Empty: the kernel's choice.
  std::vector<Member> members;  // By slot.
  std::shared_ptr<const Lookup> lookup;   // Of the policies maglev and ring; else null.
  HashKey hash_key = HashKey::kSourceIp;  // Likewise.

  const std::string& name() const { return pool->name(); }
};

}  // namespace l4lb
