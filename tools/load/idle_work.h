// SPDX-License-Identifier: Apache-2.0
//
// Connections that are open and silent.  Each sends one message after opening and one at the end
// (unless its size is 0), so that it is known to reach a backend and to be alive.
#pragma once

#include <memory>
#include <vector>

#include "tools/load/fleet_work.h"

namespace l4lb::load {

class IdleWork;

class IdleConnection final : public Connection {
 public:
  IdleConnection(IdleWork& work, uint64_t key);

  /// Sends a message that is to come back.
  void Exchange();
  bool waiting() const { return open() && received_ < sent_; }
  void Lose();

 private:
  void OnConnected() override;
  void OnDialFailed(int error) override;
  void OnEvents(uint32_t events) override;
  void OnBytes(size_t bytes);

  IdleWork& work_;
  const uint64_t key_;
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  int64_t exchanged_ns_ = 0;
};

class IdleWork final : public FleetWork {
 public:
  IdleWork(const Options& options, const Pattern& pattern, Share share, std::atomic<bool>& stop);

 private:
  int size() const override { return static_cast<int>(connections_.size()); }
  Connection& member(int index) override { return *connections_[static_cast<size_t>(index)]; }
  bool Ready() const override;
  void Begin() override {}
  int64_t OnTurn(int64_t) override { return kNever; }
  void End() override;
  bool Idle() const override { return Ready(); }
  void GiveUp(int64_t now_ns) override;

  std::vector<std::unique_ptr<IdleConnection>> connections_;
};

}  // namespace l4lb::load
