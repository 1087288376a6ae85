// SPDX-License-Identifier: Apache-2.0
//
// Ops: the requests in flight at an Engine.  Sessions and listeners embed them; see engine.h for
// the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

#include "l4lb/net/listen.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {

struct Op {
  // kWait is a wait in a queue of ours (backend/wait_list.h): no engine is ever given one.
  enum class Kind : uint8_t { kAccept, kConnect, kPump, kWatch, kSend, kRead, kWait };

  explicit Op(Kind op_kind) : kind(op_kind) {}
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  const Kind kind;
  bool in_flight = false;          // Written by the engine.
  uint8_t engine_flags = 0;        // The engine's own.
  int error = 0;                   // 0 or an errno; valid in done().
  void (*done)(Op& op) = nullptr;  // Set with Bind().
  void* owner = nullptr;
  Op* next = nullptr;  // The engine's link while in flight.

 protected:
  ~Op() = default;
};

/// Where an engine keeps its own state of an op, so that starting one allocates nothing.
template <size_t kBytes>
struct EngineScratch {
  template <typename State>
  State& As() {
    static_assert(sizeof(State) <= kBytes && alignof(State) <= alignof(void*));
    return *std::launder(reinterpret_cast<State*>(bytes));
  }
  template <typename State>
  State& Make() {
    static_assert(sizeof(State) <= kBytes && alignof(State) <= alignof(void*));
    return *new (bytes) State();
  }
  alignas(void*) std::byte bytes[kBytes];
};

/// Accepts from `listen_fd` until cancelled or broken.  `accepted` may run any number of times,
/// also between Cancel() and done(); the fd is the callee's.  done(EMFILE, ENFILE, ENOBUFS, ENOMEM)
/// means that we lack something: start again later.
struct AcceptOp : Op {
  AcceptOp() : Op(Kind::kAccept) {}
  int listen_fd = -1;
  /// Set before Cancel(): done() comes only after all that waits in the backlog has been accepted
  /// (or we lack something), so that closing the socket resets nobody.
  bool empty_backlog = false;
  void (*accepted)(AcceptOp& op, int fd, const SocketAddress& peer) = nullptr;
  EngineScratch<8> scratch;
};

/// Makes a socket and connects it.  In done() either error is 0 and `fd` is the owner's, or error
/// is set and `fd` is -1.  A connection to itself counts as ECONNREFUSED.  EAGAIN: the peer is a
/// UNIX socket whose backlog is full; no event tells when it has room, so try again later.
struct ConnectOp : Op {
  ConnectOp() : Op(Kind::kConnect) {}
  const SocketAddress* peer = nullptr;
  /// Ours, of the same family, with port 0: any free one for this peer.  Null: the kernel's choice.
  const SocketAddress* source = nullptr;
  int fd = -1;
};

/// Moves bytes from `from` to `to` until `from` is at its end.  Delivers every byte that `from` had
/// before its FIN or RST, then ends with 0 or the errno.  See engine.h.
struct PumpOp : Op {
  enum class End : uint8_t { kNone, kFrom, kTo };

  PumpOp() : Op(Kind::kPump) {}
  bool holding() const { return taken != bytes; }

  int from = -1;
  int to = -1;
  End failed = End::kNone;      // Which end `error` belongs to.
  bool from_was_reset = false;  // Set before `from_reset` runs.
  /// The turn in which bytes were last taken (EngineStats::turns, modulo 2^32).  What two pumps
  /// took in one turn may have come in either order.
  uint32_t taken_in_turn = 0;
  uint64_t taken = 0;       // Bytes read from `from`.  Readable at any time.
  uint64_t bytes = 0;       // Bytes delivered to `to`.
  int64_t first_at_ms = 0;  // Engine::now_ms() of the first byte taken, 0 before.
  int64_t moved_at_ms = 0;  // Engine::now_ms() when bytes last moved, 0 before.
  /// `from` was reset while bytes are still on their way to `to`: runs at most once, from inside
  /// Poll().  The pump goes on until it has delivered them, fails or is cancelled.
  void (*from_reset)(PumpOp& op) = nullptr;
  EngineScratch<24> scratch;
};

/// Ends with 0 when the peer of `fd` has reset or both directions are shut; not for a lone FIN and
/// not for data.
struct WatchOp : Op {
  WatchOp() : Op(Kind::kWatch) {}
  int fd = -1;
};

/// Sends all of `data` (small, the owner's until done) or fails.
struct SendOp : Op {
  SendOp() : Op(Kind::kSend) {}
  int fd = -1;
  std::string_view data;
  size_t sent = 0;
};

/// Reads what is there, at least one byte: done with 0 and `size` > 0, or `size` == 0 at the FIN.
/// With `data` null the bytes are dropped.
struct ReadOp : Op {
  ReadOp() : Op(Kind::kRead) {}
  int fd = -1;
  char* data = nullptr;
  size_t capacity = 0;
  size_t size = 0;
};

/// Bind<&Session::OnPumpEnd>(pump, this): done() becomes this->OnPumpEnd(pump).
template <auto kMethod, typename OpType, typename Owner>
void Bind(OpType& op, Owner* owner) {
  op.owner = owner;
  op.done = [](Op& base) {
    (static_cast<Owner*>(base.owner)->*kMethod)(static_cast<OpType&>(base));
  };
}

}  // namespace l4lb
