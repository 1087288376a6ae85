// SPDX-License-Identifier: Apache-2.0
//
// An Engine wholly in memory and in virtual time, for tests of whatever stands above the seam.  It
// keeps the contract of engine.h in the least friendly way that the contract allows (faults by
// probability and seed), and CHECKs that its user keeps it too: ops started twice, changed or gone
// in flight, fds used or closed after their end or under an op, two ops in the same role on one fd.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "l4lb/engine/engine.h"
#include "tests/support/fake_fd_table.h"
#include "tests/support/fake_network.h"

namespace l4lb {

/// What the engine may do to its user; probabilities per step of an op.
struct EngineFaults {
  double partial = 0;  // A send or a receive moves less than it could.
  double stall = 0;    // An op that could go on waits for another turn.
  double late = 0;  // done() comes some turns after the op ended; a cancelled op goes on meanwhile.
  int max_late_turns = 5;
  double connect_slow = 0;
  int64_t max_connect_ms = 500;
  double connect_refused = 0;
  double connect_lack = 0;  // EADDRNOTAVAIL, EMFILE, ENOBUFS or ENOMEM.
  bool shuffle = false;     // Ops take their turns in random order.
  /// The canary: what no engine may do, done once, to byte number `corrupt_at` of all that is
  /// pumped.
  enum class Corruption : uint8_t { kNone, kDrop, kDuplicate, kFlip };  // Of a byte.
  Corruption corruption = Corruption::kNone;
  uint64_t corrupt_at = 0;
  bool never_resets = false;  // Another canary: Close(kReset) sends a FIN.
};

struct FakeEngineOptions {
  size_t buffer_bytes = 16 << 10;
  size_t buffer_count = 4096;
  SocketBuffers sockets;  // Of the sockets that Connect() makes.
  EngineFaults faults;
};

class FakeEngine final : public Engine {
 public:
  /// In steps of ops per turn: what keeps a bulk pump from starving the others.
  static constexpr int kStepsPerTurn = 8;

  FakeEngine(FakeNetwork& network, const FakeEngineOptions& options);
  ~FakeEngine() override;

  void Accept(AcceptOp& op) override;
  void Connect(ConnectOp& op) override;
  void Pump(PumpOp& op, std::string_view prefix) override;
  void Watch(WatchOp& op) override;
  void Send(SendOp& op) override;
  void Read(ReadOp& op) override;
  void Cancel(Op& op) override;
  void SetKeepalive(int fd, const KeepaliveSeconds&) override { (void)fds_.socket(fd); }
  void Shutdown(int fd) override;
  void Close(int fd, CloseKind kind) override;
  int64_t Unacked(int fd) override;
  int64_t Unsent(int fd) override;
  int64_t Unread(int fd) override;
  AckState Acknowledgements(int fd) override;
  /// Moves the clock, when nothing is ready, to what is due next.
  void Poll(int64_t wake_at_ms) override;
  void Wake() override;

  FakeFdTable& fds() { return fds_; }
  FakeNetwork& network() { return network_; }
  /// Told of every pump that starts: which connections belong together.
  std::function<void(const FakeSocket& from, const FakeSocket& to)> on_pump;
  /// Told of every pump that has ended, before its owner is.
  std::function<void(const PumpOp& op, const FakeSocket& from)> on_pump_end;
  size_t ops_in_flight() const { return flights_.size(); }

 private:
  struct Flight;

  Flight& Start(Op& op);
  void CheckIntact(const Flight& flight) const;
  void CheckRolesFree(const Op& op) const;
  void End(Flight& flight, int error);

  bool Turn();
  bool AdvanceClock(int64_t wake_at_ms);
  void WaitForWake();
  bool TakeWake();
  bool RunDone();
  int64_t NextDue() const;

  // Each returns whether anything happened.
  bool Step(Flight& flight);
  bool StepAccept(Flight& flight);
  void CancelNow(Flight& flight);
  bool StepConnect(Flight& flight);
  bool StepPump(Flight& flight);
  bool StepWatch(Flight& flight);
  bool StepSend(Flight& flight);
  bool StepRead(Flight& flight);

  bool PumpTake(Flight& flight, PumpOp& op);
  bool PumpDeliver(Flight& flight, PumpOp& op);
  void PumpNoticeReset(Flight& flight, PumpOp& op);
  bool PumpEnd(Flight& flight, PumpOp::End end, int error);
  bool MayTakeBuffer(Flight& flight);
  void ReleaseBuffer(Flight& flight);
  void Corrupt(std::string& bytes);
  size_t Partly(size_t size);
  uint64_t LateTurn();

  FakeNetwork& network_;
  Dice& dice_;
  const FakeEngineOptions options_;
  FakeFdTable fds_;
  std::vector<std::unique_ptr<Flight>> flights_;
  std::deque<Flight*> ended_;  // Whose done() is to come.
  std::deque<Flight*> buffer_queue_;
  uint64_t turn_ = 0;
  uint64_t pumped_ = 0;
  bool polling_ = false;
  bool stalled_ = false;      // In this turn: the next one may find more without any time passing.
  bool may_stall_ = true;     // Not twice in a row, or time would hardly pass.
  bool done_is_due_ = false;  // In one of the next turns.

  std::mutex mutex_;
  std::condition_variable wake_changed_;
  bool woken_ = false;  // Guarded by mutex_.
};

}  // namespace l4lb
