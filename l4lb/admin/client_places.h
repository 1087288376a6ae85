// SPDX-License-Identifier: Apache-2.0
//
// The connections that the admin API has, and who must go when there are too many or one takes too
// long.  A connection is ended by shutting its socket down; libmicrohttpd then closes it.  Whoever
// connects gets in: when all places are taken, the connection goes that has waited longest among
// those of the source that has most.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace l4lb {

struct PlaceLimits {
  size_t places = 64;
  /// Of connections that are being shut down; above it nobody is let in.
  size_t ending = 32;
  int64_t answer_bytes = 32 << 20;  // Of all answers that are being sent.
  int64_t request_ms = 10'000;      // Until a whole request head has come.
  int64_t body_ms = 20'000;         // Until its body has come.
  int64_t answer_ms = 20'000;       // Until the answer has been read.
};

/// Any thread.  Times are those of Clock::Real().
class ClientPlaces {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  explicit ClientPlaces(const PlaceLimits& limits) : limits_(limits) {}

  /// Before Add(): makes room by ending a connection, if need be.  False: not now.
  bool MakeRoom();
  /// A connection that libmicrohttpd is about to be given.
  void Add(int fd, std::string source, int64_t now_ms);
  /// It has been given; from now on it may be ended.
  void Begin(int fd);
  /// Before its socket is closed.
  void Remove(int fd);

  // What it does now.
  void ReceivesBody(int fd, int64_t now_ms);
  void Works(int fd);  // Takes as long as it takes, and is not ended.
  void Answers(int fd, size_t bytes, int64_t now_ms);
  void WaitsForRequest(int fd, int64_t now_ms);

  /// Ends those whose time is over.  Returns when to look again, or kNever.
  int64_t EndLate(int64_t now_ms);

  size_t size() const;
  /// Requests are being worked on or answered.
  bool busy() const;

 private:
  enum class State { kNew, kWaiting, kWorking, kAnswering, kEnding };
  struct Place {
    std::string source;
    State state = State::kNew;
    uint64_t order = 0;  // Of entering the state, among all places.
    int64_t deadline_ms = kNever;
    int64_t bytes = 0;  // kAnswering.
  };
  struct Change {
    State state;
    int64_t deadline_ms = kNever;
    int64_t bytes = 0;
  };

  void Enter(int fd, const Change& change);
  void End(int fd, Place* place);
  bool EndLongest(State state);
  size_t CountOf(const std::string& source) const;

  const PlaceLimits limits_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<int, Place> places_;  // By fd.
  uint64_t order_ = 0;
  size_t ending_ = 0;
  int64_t answer_bytes_ = 0;
};

}  // namespace l4lb
