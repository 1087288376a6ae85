// SPDX-License-Identifier: Apache-2.0
//
// Round trips over lasting connections.  Closed loop: each connection sends as soon as it has its
// answer.  Open loop (--rate): each message is sent at its time whatever has become of those before
// it, and its latency counts from that time, so that a stall shows in every message it delays (what
// Gil Tene calls coordinated omission when it does not).
#pragma once

#include <memory>
#include <vector>

#include "tools/load/fleet_work.h"

namespace l4lb::load {

class EchoWork;

class EchoConnection final : public Connection {
 public:
  explicit EchoConnection(EchoWork& work);

  /// Closed loop: sends the next message.
  void SendNext(int64_t now_ns);
  /// Open loop: one more is due, `message` of the whole thread.
  void OnDue(uint64_t message);
  uint64_t outstanding() const { return due_ - answered_; }
  /// Of an outstanding message, 0 being the oldest.
  int64_t ScheduledNs(uint64_t nth) const;

 private:
  void OnConnected() override;
  void OnDialFailed(int error) override;
  void OnEvents(uint32_t events) override;
  void SendDue();
  void ReceiveAll(bool to_the_end);
  bool OnBytes(size_t bytes);
  void OnAnswer(int64_t now_ns);
  void Lose();

  EchoWork& work_;
  const uint64_t size_;
  uint64_t key_ = 0;
  uint64_t due_ = 0;            // messages; of this connection, as are all below
  uint64_t answered_ = 0;       // messages
  uint64_t sent_ = 0;           // bytes
  uint64_t received_ = 0;       // bytes
  int64_t scheduled_ns_ = 0;    // Closed loop: of the only message.
  uint64_t first_message_ = 0;  // Open loop: which one of the thread was the first here.
};

class EchoWork final : public FleetWork {
 public:
  EchoWork(const Options& options, const Pattern& pattern, Share share, std::atomic<bool>& stop);

  bool open_loop() const { return options().rate > 0; }
  /// Open loop: when the n-th message of this thread is due, which goes to connection n % size().
  int64_t ScheduledNs(uint64_t message) const;
  bool sending() const { return running() && !ended(); }
  int size() const override { return static_cast<int>(connections_.size()); }
  /// A key for a stream that nobody had before.
  uint64_t NextKey();

 private:
  Connection& member(int index) override { return *connections_[static_cast<size_t>(index)]; }
  void Begin() override;
  int64_t OnTurn(int64_t now_ns) override;
  bool Idle() const override;
  void GiveUp(int64_t now_ns) override;
  void Reconnect(int64_t now_ns);

  std::vector<std::unique_ptr<EchoConnection>> connections_;
  double interval_ns_ = 0;  // Open loop: from one message of this thread to the next.
  uint64_t scheduled_ = 0;  // Open loop: messages so far.
  uint64_t keys_ = 0;
  int64_t reconnect_at_ns_ = 0;
};

}  // namespace l4lb::load
