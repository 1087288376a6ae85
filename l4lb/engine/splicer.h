// SPDX-License-Identifier: Apache-2.0
//
// How pumps move bulk: splice(2) from a socket into an empty pipe, and from there to the other
// socket, never waiting.  One per engine.  BulkMode says when; the engine says when to try again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "l4lb/engine/engine.h"
#include "l4lb/engine/pipe_pool.h"

namespace l4lb {

class Splicer {
 public:
  static constexpr int kStepsPerTurn = 32;  // Of a pump; then the others have their turn.

  enum class Outcome {
    kMoved,
    kEmpty,   // The socket seems to be.  But splice also stops for ever in front of urgent data,
              // and then even reports an end: recv has the last word.
    kNoPipe,  // Or no memory for one.
    kCannot,  // This kind of socket.
    kFailed,
  };
  struct Filled {
    Outcome outcome = Outcome::kEmpty;
    Pipe* pipe = nullptr;  // When kMoved: what was taken is in it.
    int error = 0;         // When kFailed.
  };

  /// As PipePool.  `stats`: the engine's.
  Splicer(size_t pipe_count, int max_fd, EngineStats& stats)
      : pipes_(pipe_count, max_fd), stats_(stats) {}

  /// Takes from op.from what there is, at most a share, into a pipe of the pool.
  Filled Fill(PumpOp& op, int64_t now_ms);
  /// Delivers from the pipe to op.to.  0, or an errno: EAGAIN when it is full.  Not all need be
  /// delivered at 0: a short splice does not mean that the socket is full.
  int Deliver(PumpOp& op, Pipe& pipe, int64_t now_ms);
  void Give(Pipe* pipe) { pipes_.Give(pipe); }
  /// Gives back descriptors that are not in use.  Returns whether there were any.
  bool Shrink() { return pipes_.Shrink(); }

  /// What a pump may move in one turn, in bytes: large shares move bulk with half of the CPU, but
  /// small messages wait for the shares of all bulk pumps.  As long as there are such messages,
  /// shares are small.
  size_t Share(int64_t now_ms) const { return now_ms - small_at_ms_ < kSmallMs ? kLess : kMore; }
  void NoteSmallMessage(int64_t now_ms) { small_at_ms_ = now_ms; }

  void Report();  ///< Writes the pool's figures into the stats.

 private:
  static constexpr size_t kMore = 1 << 20;
  static constexpr size_t kLess = 1 << 18;
  static constexpr int64_t kSmallMs = 100;

  PipePool pipes_;
  EngineStats& stats_;
  int64_t small_at_ms_ = INT64_MIN / 2;  // When a read last found less than a buffer.
};

}  // namespace l4lb
