// SPDX-License-Identifier: Apache-2.0
//
// What the command line says, as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "l4lb/net/socket_address.h"
#include "tools/load/ask.h"

namespace l4lb::load {

enum class Direction { kUp, kDown, kBoth };
enum class Closer { kClient, kBackend };

/// Of all works but serve.  Fields that a work does not use keep their defaults.
struct Options {
  std::string work;  ///< Its name: echo, connect, bulk, idle, churn.
  std::vector<SocketAddress> targets;
  std::vector<SocketAddress> sources;  ///< Empty: the kernel's choice.
  int connections = 1;                 ///< bulk: streams; connect: how many at once.
  int64_t size = 64;                   ///< Bytes of a message, request, answer; idle: 0 for none.
  double rate = 0;                     ///< Messages a second over all; 0: closed loop.
  int64_t duration_ms = 5000;
  int64_t warmup_ms = 1000;
  int64_t grace_ms = 2000;  ///< For what is under way at the end.
  int64_t connect_timeout_ms = 10'000;
  int64_t count = 0;  ///< Operations over all; 0: no end.  bulk: as many as streams when bytes > 0.
  int64_t bytes = 0;  ///< bulk: of each stream and direction; 0: no end.
  bool verify = false;
  bool ask = false;        ///< The backend is `serve --mode=ask`.
  bool reconnect = false;  ///< echo: opens lost connections again.
  bool linger_reset = false;
  bool stay = false;
  Direction direction = Direction::kUp;
  Closer closer = Closer::kBackend;
  uint64_t seed = 0;
  int threads = 1;
  bool json = false;
  bool quiet = false;
};

struct ServeOptions {
  std::vector<SocketAddress> listen;
  Mode mode = Mode::kEcho;
  int64_t size = 64;  ///< kAnswer: of the request and of the answer.
  bool close_first = false;
  int threads = 1;
  bool quiet = false;
};

}  // namespace l4lb::load
