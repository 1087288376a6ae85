// SPDX-License-Identifier: Apache-2.0
//
// Connections that carry one request and one answer: connect, send, receive, close, as fast as
// `connections` of them at a time allow.
#pragma once

#include <memory>
#include <vector>

#include "tools/load/connection.h"
#include "tools/load/work.h"

namespace l4lb::load {

class ConnectWork;

class ConnectSlot final : public Connection {
 public:
  explicit ConnectSlot(ConnectWork& work);

  /// Dials if there is to be another one.
  void Next();
  bool waits_to_retry() const { return waits_to_retry_; }

 private:
  void OnConnected() override;
  void OnDialFailed(int error) override;
  void OnEvents(uint32_t events) override;
  bool OnBytes(size_t bytes);
  void Done();
  void Lose();

  ConnectWork& work_;
  const uint64_t size_;
  uint64_t key_ = 0;
  uint64_t received_ = 0;
  bool waits_to_retry_ = false;  // After a failure, so that a dead target costs no core.
};

class ConnectWork final : public Work {
 public:
  ConnectWork(const Options& options, const Pattern& pattern, Share share, std::atomic<bool>& stop);

  uint64_t NextKey() { return ++keys_; }

 private:
  void Begin() override;
  int64_t OnTurn(int64_t now_ns) override;
  bool Idle() const override;
  void GiveUp(int64_t now_ns) override;

  std::vector<std::unique_ptr<ConnectSlot>> slots_;
  uint64_t keys_ = 0;
  int64_t look_again_ns_ = 0;
};

}  // namespace l4lb::load
