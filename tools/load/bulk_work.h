// SPDX-License-Identifier: Apache-2.0
//
// As many bytes as there is room for, up, down or both ways at once.
#pragma once

#include <memory>
#include <vector>

#include "tools/load/fleet_work.h"

namespace l4lb::load {

class BulkWork;

class BulkStream final : public Connection {
 public:
  BulkStream(BulkWork& work, uint64_t key);

  void Begin(int64_t now_ns);
  /// Goes on where a turn of its own was too long.
  void Continue();
  bool wants_to_continue() const { return more_; }
  /// The time is over: says so to the far end, or closes.
  void End();

 private:
  void OnConnected() override;
  void OnDialFailed(int error) override;
  void OnEvents(uint32_t events) override;
  Ask ToAsk() const;
  bool sends() const;
  bool receives() const;
  void SendSome();
  void FinishSending();
  void ReceiveSome();
  void OnBytes(size_t bytes);
  void OnVerdict(size_t bytes);
  void OnFarEnd();
  void Complete();
  void Lose();

  BulkWork& work_;
  const uint64_t key_;
  int64_t begun_ns_ = 0;  // 0: not yet.
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  bool sending_over_ = false;
  bool more_ = false;
  Verdict::Bytes verdict_ = {};
  size_t verdict_size_ = 0;
};

class BulkWork final : public FleetWork {
 public:
  BulkWork(const Options& options, const Pattern& pattern, Share share, std::atomic<bool>& stop);

  /// The far end says how many bytes it got, and whether they were right.
  bool wants_verdict() const {
    return options().ask && options().verify && options().direction == Direction::kUp;
  }

 private:
  int size() const override { return static_cast<int>(streams_.size()); }
  Connection& member(int index) override { return *streams_[static_cast<size_t>(index)]; }
  void Begin() override;
  int64_t OnTurn(int64_t now_ns) override;
  void End() override;
  bool Idle() const override;
  void GiveUp(int64_t now_ns) override;

  std::vector<std::unique_ptr<BulkStream>> streams_;
};

}  // namespace l4lb::load
