// SPDX-License-Identifier: Apache-2.0
//
// The workers of a process as they see each other: how many sessions each has, who lacks a place,
// and how a connection is handed over.  The kernel spreads connections over the workers' listening
// sockets by a hash, which leaves few long sessions very uneven.  Any thread, lock-free.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "l4lb/net/socket_address.h"

namespace l4lb {

class Worker;

class Crew {
 public:
  explicit Crew(int workers);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return size_; }
  /// Control thread, before any worker listens.  Nothing is handed over to who has not joined.
  void Join(int index, Worker& worker) { seats_[index].worker = &worker; }

  /// Sessions of a worker, those on their way to it included.
  int64_t sessions(int worker) const { return seats_[worker].sessions.load(); }

  // On the thread of the worker that calls.

  /// Who is to serve a connection that worker `self` has accepted; raises that one's count.
  int Place(int self, int64_t now_ms);
  /// Gives it away: Place() said who takes it.
  void HandOver(int worker, uint32_t listener, int fd, const SocketAddress& client);
  /// A session of this worker has ended.
  void Ended(int self, int64_t now_ms);

  /// `self` has met the limit of open files: the others stop accepting, too, or each would take a
  /// client with the last descriptor and lose it for want of one toward the backend.
  void TellOfNoFd(int self);
  /// `self` lacks a place or a descriptor, and is to be told when one becomes free.  To be called
  /// before the last look.
  void Starve(int self);
  /// `self` has made a place or a descriptor free: tells the others that lack one.
  void Feed(int self);

 private:
  struct alignas(64) Seat {
    std::atomic<int64_t> sessions{0};
    std::atomic<bool> starved{false};
    Worker* worker = nullptr;
    // The worker's own: how many sessions ended in this second and in the one before.
    int64_t second = 0;
    int64_t ended_now = 0;
    int64_t ended_before = 0;

    void MoveTo(int64_t now_ms);
  };

  const int size_;
  const std::unique_ptr<Seat[]> seats_;
  std::atomic<int> starved_{0};  // How many seats are.
};

/// Whether `own` sessions are so many more than the `least` of another worker that a new one is
/// handed over.  `lasting`: sessions live for seconds, so that what is uneven stays so.  Short ones
/// even out by themselves; handing many of them over only costs.
constexpr bool ClearlyMore(int64_t own, int64_t least, bool lasting) {
  if (own > 0 && least == 0) return true;
  return lasting ? own > least + least / 16 + 1 : own > least + least / 4 + 4;
}

}  // namespace l4lb
