// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/crew.h"

#include "l4lb/proxy/worker.h"

namespace l4lb {

Crew::Crew(int workers) : size_(workers), seats_(std::make_unique<Seat[]>(workers)) {}

void Crew::Seat::MoveTo(int64_t now_ms) {
  const int64_t now = now_ms / 1000;
  if (now == second) return;
  ended_before = now == second + 1 ? ended_now : 0;
  ended_now = 0;
  second = now;
}

void Crew::Ended(int self, int64_t now_ms) {
  Seat& seat = seats_[self];
  seat.MoveTo(now_ms);
  ++seat.ended_now;
  seat.sessions.fetch_sub(1);
}

int Crew::Place(int self, int64_t now_ms) {
  int target = self;
  if (const int64_t own = sessions(self); own > 0) {
    int64_t least = own;
    for (int other = 0; other < size_ && least > 0; ++other) {
      const int64_t theirs = sessions(other);
      if (theirs >= least || seats_[other].worker == nullptr) continue;
      least = theirs;
      target = other;
    }
    // By Little's law a session lives for own / (ended in a second) seconds.
    Seat& seat = seats_[self];
    seat.MoveTo(now_ms);
    const bool lasting = seat.ended_before + seat.ended_now < own;
    if (!ClearlyMore(own, least, lasting)) target = self;
  }
  seats_[target].sessions.fetch_add(1);
  return target;
}

void Crew::HandOver(int worker, uint32_t listener, int fd, const SocketAddress& client) {
  seats_[worker].worker->Post(
      [listener, fd, client](Worker& taker) { taker.TakeOver(listener, fd, client); });
}

void Crew::TellOfNoFd(int self) {
  for (int index = 0; index < size_; ++index) {
    if (index == self || seats_[index].worker == nullptr) continue;
    seats_[index].worker->Post([](Worker& worker) { worker.PauseForFd(); });
  }
}

void Crew::Starve(int self) {
  if (!seats_[self].starved.exchange(true)) starved_.fetch_add(1);
}

void Crew::Feed(int self) {
  if (starved_.load() == 0) return;
  for (int index = 0; index < size_; ++index) {
    Seat& seat = seats_[index];
    if (!seat.starved.load() || !seat.starved.exchange(false)) continue;
    starved_.fetch_sub(1);
    if (index != self) seat.worker->Post([](Worker& worker) { worker.Resume(); });
  }
}

}  // namespace l4lb
