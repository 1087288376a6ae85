// SPDX-License-Identifier: Apache-2.0
//
// What is known of the health of one pool's backends, and what follows: who takes sessions, and in
// what share.  Verdicts come from the checker, failures from the workers; ManagedPool asks it.
// Control thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "l4lb/backend/ejection.h"
#include "l4lb/backend/pool.h"
#include "l4lb/backend/tiers.h"
#include "l4lb/config/config.h"
#include "l4lb/health/checker.h"
#include "l4lb/observe/status.h"

namespace l4lb {

class PoolHealth {
 public:
  struct Member {
    std::shared_ptr<Backend> backend;
    bool ready = true;  // It is meant to take sessions.
    bool backup = false;
    uint32_t weight = 1;
  };
  using CheckStatuses = absl::flat_hash_map<uint64_t, CheckStatus>;  // By backend.

  explicit PoolHealth(Pool& pool) : pool_(pool) {}

  /// From now on these are the pool's, and `config` counts.  Those that were not there before are
  /// proven `at_start` or when nobody checks them.
  void Settle(const Config::Pool& config, std::vector<Member> members, bool at_start);
  /// Checks what Settle() said, and nothing else; Update() is due.  Always the same `checker`.
  void SyncChecks(Checker* checker);
  bool wants_checks() const { return config_.health_check.type != Config::CheckType::kNone; }

  // News.  False: it is none of this pool's, or nothing follows from it; else Update() is due.

  bool OnCheck(const CheckNews& news, int64_t now_ms);
  /// Of a backend that has failed too often in a row; 0: some backend has failed.
  bool OnFailure(uint64_t backend, int64_t now_ms);
  /// What is due by the clock.
  bool Tick(int64_t now_ms);
  bool needs_tick() const { return watching_ || ticking_ > 0; }

  /// Decides anew, and says in the log what is new.
  void Update(int64_t now_ms);
  /// As of the last Update(): what of `terms`, which the operator wants, holds now.
  BackendTerms Apply(const Backend& backend, BackendTerms terms, int64_t now_ms) const;
  bool fail_open() const { return tiers_.fail_open; }

  /// Those whose sessions on_down is about, and whether it has begun there already.
  bool IsDown(const Backend& backend) const;
  bool drained(const Backend& backend) const;
  void SetDrained(const Backend& backend, bool drained);

  /// Looks which backends take much longer to connect to than the others since the last look.
  void LookForSlowOnes();

  void Report(PoolStatus& status) const;
  void Report(const Backend& backend, const CheckStatuses& checks, int64_t now_ms,
              BackendStatus& status) const;

 private:
  struct Record {
    std::shared_ptr<Backend> backend;
    bool ready = true;
    bool backup = false;
    uint32_t weight = 1;
    bool proven = true;    // It may take sessions before its first check has passed.
    bool checked = false;  // The checker knows it.
    Health health = Health::kUnchecked;
    Ejection ejection;
    FailureRate rate;
    bool open = true;               // As decided.
    bool took = false;              // It was ready and fit.
    int64_t slow_start_end_ms = 0;  // 0: it has its full share.
    bool drained = false;           // on_down has begun.
    bool slow = false;
    Tally seen;  // At the last look for slow ones.

    Fitness fitness() const;
  };

  Record* Find(uint64_t backend);
  const Record* Find(uint64_t backend) const;
  bool MayEject(const Record& record) const;
  bool Eject(Record& record, const std::string& why, int64_t now_ms);
  void EndEjection(Record& record, const std::string& why, int64_t now_ms);
  void LookAtSlowStart(Record& record, int64_t now_ms);
  void Watch(int64_t now_ms);
  std::string Subject(const Record& record) const;
  double Candidacy(const Record& record) const;

  Pool& pool_;
  Config::Pool config_;
  EjectionRule rule_;
  SlowStart slow_start_;
  std::vector<Record> records_;                     // In the order of the members.
  absl::flat_hash_map<uint64_t, size_t> place_of_;  // Of a backend, in records_.
  Config::HealthCheck synced_;                      // What the checker was told.
  Checker* checker_ = nullptr;                      // Likewise: by whom.
  Tiers tiers_;
  bool watching_ = false;  // Failures happened lately: their rate is looked at.
  int64_t watch_until_ms_ = 0;
  uint64_t open_weight_ = 0;                      // Of those that take sessions.
  int ticking_ = 0;                               // Records that wait for the clock.
  std::mt19937_64 dice_{std::random_device()()};  // Of jitter.
};

}  // namespace l4lb
