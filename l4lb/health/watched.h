// SPDX-License-Identifier: Apache-2.0
//
// One target of the checker: when it is checked, what its checks have said, and what follows.  Its
// one Check is why there is never more than one socket to it.  Owned by CheckLoop.
#pragma once

#include <cstdint>
#include <string>

#include "l4lb/engine/timer_wheel.h"
#include "l4lb/health/check.h"
#include "l4lb/health/checker.h"
#include "l4lb/health/detector.h"
#include "l4lb/health/pace.h"
#include "l4lb/health/status_board.h"

namespace l4lb {

/// We were not awake, which no target can help.
struct Stall {
  int64_t late_ms = 0;  // For so long at least,
  int64_t lost_ms = 0;  // and for so long at most.
};

class Watched final : private Check::Host {
 public:
  /// What a target needs of the loop that owns it.
  class Keeper {
   public:
    /// Calls Excuse() if there is a reason.  Asked before anything is made of a result.
    virtual void NoticeStall() = 0;
    virtual void OnDue(Watched& watched) = 0;  // It wants a Begin().
    virtual void OnNews(const CheckNews& news) = 0;
    virtual void OnNotMade(const std::string& reason) = 0;
    /// After each Begin(), once.  It may not die from here.
    virtual void OnCheckOver(Watched& watched) = 0;

   protected:
    ~Keeper() = default;
  };

  /// What all targets of a loop share.
  struct Shared {
    CheckContext& context;
    Pace& pace;
    StatusBoard& board;
    Keeper& keeper;
  };

  Watched(const Shared& shared, uint64_t id, CheckTarget target);
  ~Watched();  // Not checking, not due.

  void Begin();
  /// Nobody wants to know any more.  May call OnCheckOver().
  void Leave();
  void Excuse(const Stall& stall);
  void WantGoodChecks(bool wanted) { wants_good_ = wanted; }

  bool due() const { return due_; }  // Since OnDue(), until Begin() or Forget().
  void Forget() { due_ = false; }
  bool leaving() const { return leaving_; }
  bool checking() const { return check_.under_way(); }

 private:
  void OnVerdict(const CheckResult& result) override;
  void OnOver() override;
  void OnTime();
  void OnSilence();

  void Count(const CheckResult& result);
  bool Judge(bool passed);
  void PlanNext();
  void AwaitAnswer();
  void Publish();
  void Tell(bool changed, bool passed, std::string text);
  std::string Said(const CheckResult& result) const;
  int64_t now_ms() const { return shared_.context.engine.now_ms(); }

  const Shared& shared_;
  const uint64_t id_;
  const CheckTarget target_;
  Detector detector_;
  Check check_;
  TargetState state_;
  OwnedTimer next_;
  OwnedTimer silence_;
  int64_t planned_ms_ = 0;  // When the next check could begin: later is our fault.
  bool wants_good_ = false;
  bool due_ = false;
  bool leaving_ = false;
};

}  // namespace l4lb
