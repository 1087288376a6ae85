// SPDX-License-Identifier: Apache-2.0
//
// The ops of a session.  It is in one of three phases and has only what that one needs: an idle
// session, which is in the middle one, has no coroutine frame either.
#pragma once

#include <coroutine>
#include <variant>

#include "l4lb/backend/wait_list.h"
#include "l4lb/engine/op.h"

namespace l4lb {

/// Where a coroutine of the session stands.
struct Chapter {
  std::coroutine_handle<> run;  // Suspended ...
  const Op* awaited = nullptr;  // ... until this op has ended,
  bool sleeping = false;        // or the timer fires.
};

/// From the accepted client to a connected backend.
struct Opening : Chapter {
  WatchOp watch;  // On the client.
  std::variant<ConnectOp, WaitOp> reach;
};

struct Pumps {
  PumpOp from_client;
  PumpOp from_backend;
};

/// From the last byte to two closed fds.
struct Closing : Chapter {
  ReadOp drop;
};

using SessionPhase = std::variant<Opening, Pumps, Closing>;

}  // namespace l4lb
