// SPDX-License-Identifier: Apache-2.0
//
// Sessions that behave badly, against an echo: random sizes, pauses, slow readers, half-closes,
// resets.  Every byte that comes back is checked; the first bytes of a session are its own number.
#pragma once

#include <array>
#include <memory>
#include <queue>
#include <vector>

#include "tools/load/churn_plan.h"
#include "tools/load/connection.h"
#include "tools/load/work.h"

namespace l4lb::load {

class ChurnWork;

class ChurnSession final : public Connection {
 public:
  explicit ChurnSession(ChurnWork& work) : work_(work), chance_(0, 0) {}

  /// Dials if there is to be another one.
  void Next();
  /// A pause is over.
  void OnPauseOver(uint64_t session, int64_t now_ns);
  uint64_t number() const { return number_; }
  bool waits_to_retry() const { return waits_to_retry_; }

 private:
  void OnConnected() override;
  void OnDialFailed(int error) override;
  void OnEvents(uint32_t events) override;
  void Step();
  void SendSome();
  void ReceiveSome();
  bool OnBytes(size_t bytes);
  bool CutShort();
  void OnSendError(int error);
  void OnReceiveError(int error);
  void OnFarEnd();
  void Pause(int64_t* until_ns);
  void Done();
  void Lose();
  std::string Name() const;

  ChurnWork& work_;
  Chance chance_;  // Of this session.
  ChurnPlan plan_;
  uint64_t number_ = 0;  // Of the session; the key of its pattern.
  std::array<char, sizeof(number_)> echoed_number_ = {};
  size_t number_left_ = 0;  // Bytes of the number that are to come back yet.
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  bool can_send_ = false;
  bool can_receive_ = false;
  bool finished_ = false;
  bool waits_to_retry_ = false;
  int64_t send_pause_ns_ = 0;  // Until when.
  int64_t receive_pause_ns_ = 0;
};

class ChurnWork final : public Work {
 public:
  ChurnWork(const Options& options, const Pattern& pattern, Share share, std::atomic<bool>& stop);

  uint64_t NextNumber();
  void WakeAt(int64_t when_ns, ChurnSession* session);
  void CountEnding(Ending ending) { ++mutable_tally().endings[static_cast<size_t>(ending)]; }

 private:
  struct Wake {
    int64_t when_ns;
    ChurnSession* slot;
    uint64_t session;
    bool operator>(const Wake& other) const { return when_ns > other.when_ns; }
  };

  void Begin() override;
  int64_t OnTurn(int64_t now_ns) override;
  bool Idle() const override;
  void GiveUp(int64_t now_ns) override;

  std::vector<std::unique_ptr<ChurnSession>> slots_;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<Wake>> wakes_;
  uint64_t sessions_ = 0;
  int64_t look_again_ns_ = 0;
};

}  // namespace l4lb::load
