// SPDX-License-Identifier: Apache-2.0
//
// What one thread did, and what all did together.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "l4lb/observe/histogram.h"

namespace l4lb::load {

// X(name, in a sentence).  The names are those of the JSON.
#define L4LB_LOAD_FAILURES(X)                                        \
  X(connect_refused, "connections refused")                          \
  X(connect_timeout, "connections not open in time")                 \
  X(connect_failed, "connections failed for another reason")         \
  X(no_port, "connections without a free local port")                \
  X(no_fd, "connections without a free file descriptor")             \
  X(reset, "connections reset by the far end")                       \
  X(closed_early, "connections closed by the far end before time")   \
  X(wrong_bytes, "connections with wrong bytes")                     \
  X(unanswered, "messages or sessions without an answer at the end") \
  X(not_reached, "operations short of --count")

enum class Failure {
#define X(name, text) name,
  L4LB_LOAD_FAILURES(X)
#undef X
};

// How sessions of churn ended, all of them as they were meant to.
#define L4LB_LOAD_ENDS(X)                                        \
  X(finished, "finished by the client, all came back")           \
  X(finished_slowly, "the same, with a slow reader")             \
  X(client_reset, "reset by the client")                         \
  X(client_closed, "closed by the client with bytes on the way") \
  X(backend_finished, "finished by the backend")                 \
  X(backend_reset, "reset by the backend")

enum class Ending {
#define X(name, text) name,
  L4LB_LOAD_ENDS(X)
#undef X
};

struct NameAndText {
  std::string_view name;
  std::string_view text;
};

constexpr NameAndText kFailures[] = {
#define X(name, text) {#name, text},
    L4LB_LOAD_FAILURES(X)
#undef X
};
constexpr NameAndText kEndings[] = {
#define X(name, text) {#name, text},
    L4LB_LOAD_ENDS(X)
#undef X
};

constexpr size_t kFailureCount = std::size(kFailures);
constexpr size_t kEndingCount = std::size(kEndings);

/// Why dialing, or a connection that was open, failed with `error`.
Failure FailureOfErrno(int error);

/// Written by one thread; read by the one that shows the progress.
struct Live {
  static void Add(std::atomic<uint64_t>& counter, uint64_t more) {
    counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  std::atomic<uint64_t> operations = 0;
  std::atomic<uint64_t> bytes_up = 0;    ///< Given to the kernel.
  std::atomic<uint64_t> bytes_down = 0;  ///< Read.
  std::atomic<uint64_t> open = 0;        ///< Connections.
};

/// Of the measured time, except the failures, which are those of the whole run.
struct Tally {
  void Fail(Failure kind, std::string detail, uint64_t times = 1);
  void Merge(const Tally& other);
  uint64_t failed() const;

  uint64_t operations = 0;
  uint64_t bytes_up = 0;
  uint64_t bytes_down = 0;
  uint64_t open = 0;  ///< Connections open at the end.
  double seconds = 0;
  int64_t until_ns = 0;    ///< The end of it; CLOCK_MONOTONIC.
  double cpu_seconds = 0;  ///< Of the threads that make the load.
  Histogram latency_ns;
  std::array<uint64_t, kFailureCount> failures = {};
  std::array<uint64_t, kEndingCount> endings = {};
  std::string first_failure;  ///< One sentence; of wrong bytes rather than of anything else.
  bool first_is_wrong_bytes = false;
};

}  // namespace l4lb::load
