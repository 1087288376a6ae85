// SPDX-License-Identifier: Apache-2.0
//
// What every engine over real sockets does alike: the queues of a turn, the verbs that are plain
// system calls, and the insides of the small ops.  How the kernel tells that a socket is ready, and
// how messages move, is each engine's own.
#pragma once

#include <cstdint>
#include <optional>

#include "l4lb/engine/engine.h"
#include "l4lb/engine/make_engine.h"
#include "l4lb/engine/op_queue.h"
#include "l4lb/engine/splicer.h"

namespace l4lb {

class SocketEngine : public Engine {
 public:
  ~SocketEngine() override;

  void SetKeepalive(int fd, const KeepaliveSeconds& keepalive) final;
  void Shutdown(int fd) final;
  int64_t Unacked(int fd) final;
  int64_t Unsent(int fd) final;
  int64_t Unread(int fd) final;
  AckState Acknowledgements(int fd) final;

 protected:
  // Op::engine_flags.
  static constexpr uint8_t kQueued = 1;  // In runnable_ or later_.
  static constexpr uint8_t kEnding = 2;  // In done_.
  static constexpr uint8_t kCancelled = 4;
  static constexpr uint8_t kWantsBuffer = 8;  // In want_buffer_.

  enum class Step { kMoved, kWait, kEnded };

  explicit SocketEngine(const EngineOptions& options);

  // An op that is queued goes on, or ends because it was cancelled.
  virtual void AdvanceAccept(AcceptOp& op) = 0;
  virtual void AdvanceConnect(ConnectOp& op) = 0;
  virtual void AdvancePump(PumpOp& op) = 0;
  virtual void AdvanceWatch(WatchOp& op) = 0;
  virtual void AdvanceSend(SendOp& op) = 0;
  virtual void AdvanceRead(ReadOp& op) = 0;
  virtual void Abandon(Op& op) = 0;

  // Queues.
  void Start(Op& op);
  void MakeRunnable(Op& op);
  void Defer(Op& op);  // Its turn is over, it has more to do.
  // False: it is not in flight, or ending anyway.  Else it is cancelled, and waits for no buffer.
  bool BeginCancel(Op& op);
  void Conclude(Op& op, int error);
  bool has_work() const { return !runnable_.empty() || !later_.empty() || !done_.empty(); }
  // Advances all that is runnable and runs done()s, which may make more runnable.
  void RunOps();
  // How long to wait for the kernel, or -1: until something happens.
  int64_t WaitMs(int64_t wake_at_ms) const;

  // Small ops.  Nothing: the kernel must tell when to go on; else what the op ends with.
  std::optional<int> AcceptSome(AcceptOp& op);
  std::optional<int> SendSome(SendOp& op);
  std::optional<int> ReadSome(ReadOp& op);
  // 0 when connected, EINPROGRESS, or why not: then there is no fd.
  int OpenAndConnect(ConnectOp& op);
  // Once the kernel has told: whether it succeeded.  `broken`: it told of an error or a hang-up.
  static int ConnectResult(const ConnectOp& op, bool broken);
  void StartAccept(AcceptOp& op);

  // Pumps.
  static void StartPump(PumpOp& op, size_t prefix_bytes);
  // A pump's turn: take_step() until it has to wait, has ended, or has had its share.  The last
  // one.
  template <typename TakeStep>
  Step TakeSteps(PumpOp& op, TakeStep take_step) {
    const uint64_t enough = op.bytes + splicer_.Share(now_ms_);
    for (int i = 0; i < Splicer::kStepsPerTurn && op.bytes < enough; ++i) {
      if (const Step step = take_step(); step != Step::kMoved) return step;
    }
    Defer(op);
    return Step::kMoved;
  }
  // Tells the owner once that `from` was reset while bytes are on their way.
  static void NoteReset(PumpOp& op);

  // A UNIX peer that closes hangs up at once, while what it sent is still to be read: that is its
  // FIN.
  static bool HangUpIsReset(int fd);
  static void CloseSocket(int fd, CloseKind kind);

  const Clock& clock_;
  Splicer splicer_;
  OpQueue want_buffer_;  // Pumps that wait for a buffer, first come first served.

 private:
  struct AcceptState;  // In AcceptOp::scratch.

  int TryConnect(ConnectOp& op);
  void Advance(Op& op);
  void RunDone();

  OpQueue runnable_;  // To be advanced in this turn.
  OpQueue later_;     // Gave up their turn; advanced in the next one.
  OpQueue done_;      // Ended; done() not yet run.
};

}  // namespace l4lb
