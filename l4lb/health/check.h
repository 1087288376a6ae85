// SPDX-License-Identifier: Apache-2.0
//
// One check of one target, as a state machine over the engine's ops:
//
//   connect -> [send] -> [read until it is met, refuted, too long or too late] -> the verdict
//           -> our FIN -> read and drop until the backend's -> close
//
// The end is polite: a close with unread input, or before the backend has finished, is a reset, and
// a line in the backend's log for every check.  Closing after its FIN is quiet.  Used again for the
// next check.  Owned by Watched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "l4lb/engine/engine.h"
#include "l4lb/engine/timer_wheel.h"
#include "l4lb/health/check_plan.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {

struct CheckResult {
  enum class Kind : uint8_t {
    kPassed,
    kFailed,
    kNotMade,  // We lacked a port, a descriptor or memory: it says nothing of the target.
  };
  Kind kind = Kind::kPassed;
  std::string reason;      // Why it did not pass, for people.
  int64_t latency_us = 0;  // From the connect to the verdict.
};

/// What the checks of one thread share.
struct CheckContext {
  static constexpr size_t kDropBytes = 16 << 10;

  Engine& engine;
  TimerWheel& timers;
  char* dropped;  // kDropBytes, into which is read what nobody looks at.
};

class Check final : private OwnedTimer {
 public:
  /// How long a backend may take for its FIN once there is a verdict, if nothing of the timeout is
  /// left.
  static constexpr int64_t kPartingMs = 100;

  class Host {
   public:
    /// Once a check, unless it is given up.
    virtual void OnVerdict(const CheckResult& result) = 0;
    /// Its socket is closed.  The check may begin again from here, but not die.
    virtual void OnOver() = 0;

   protected:
    ~Host() = default;
  };

  Check(CheckContext& context, Host& host);
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  ~Check();  // Not under way.

  /// Not under way.  Both outlive the check.  Never calls back.
  void Begin(const SocketAddress& peer, const CheckPlan& plan);
  /// Ends it without a verdict, within kPartingMs or so.  May call OnOver().
  void GiveUp();
  /// We were not awake for so long: it has so much more time.
  void Extend(int64_t ms);

  bool under_way() const { return phase_ != Phase::kOver; }
  int64_t begun_ms() const { return begun_ms_; }  // Of the last Begin(); Engine::now_ms().

 private:
  enum class Phase : uint8_t { kOver, kConnecting, kSending, kReading, kParting };

  void OnConnected(ConnectOp& op);
  void OnSent(SendOp& op);
  void OnRead(ReadOp& op);
  void OnDeadline();

  void Await();
  void ReadMore();
  void LookAtAnswer(const ReadOp& op);
  void DropMore();
  void Part();
  void Finish();

  void Pass() { Decide(CheckResult::Kind::kPassed, ""); }
  void Fail(std::string reason) { Decide(CheckResult::Kind::kFailed, std::move(reason)); }
  void FailBy(int error);
  void Decide(CheckResult::Kind kind, std::string reason);

  std::string Silence() const;
  absl::string_view received() const { return {buffer_.data(), received_}; }
  size_t left() const { return plan_->limit_bytes - taken_; }

  CheckContext& context_;
  Host& host_;
  const CheckPlan* plan_ = nullptr;
  Phase phase_ = Phase::kOver;
  bool decided_ = false;   // Nobody waits for a verdict any more.
  bool given_up_ = false;  // Only ever with decided_.
  int broken_ = 0;         // What the send failed with: what was received counts all the same.
  int fd_ = -1;
  int64_t begun_ms_ = 0;
  int64_t begun_ns_ = 0;
  int64_t deadline_ms_ = 0;  // Of the verdict.
  size_t taken_ = 0;         // Bytes read, dropped ones included: at most the plan's limit.
  size_t received_ = 0;      // Of buffer_.
  std::string buffer_;       // Empty but while an answer is read.
  ConnectOp connect_;
  SendOp send_;
  ReadOp read_;
};

}  // namespace l4lb
