// SPDX-License-Identifier: Apache-2.0
#include "tests/backend/interleaver.h"

#include <utility>

#include "l4lb/backend/interleaving.h"

#ifndef L4LB_MODEL
#error "the code under test must have its interleaving points"
#endif

namespace l4lb {
namespace {

thread_local Interleaver* tls_current = nullptr;

}  // namespace

void InterleavingPoint() {
  if (Interleaver* current = Interleaver::current()) current->Point();
}

Interleaver* Interleaver::current() { return tls_current; }

void Interleaver::Run(std::vector<std::function<void()>> bodies) {
  runners_.clear();
  for (size_t i = 0; i < bodies.size(); ++i) runners_.push_back(std::make_unique<Runner>());
  for (size_t i = 0; i < bodies.size(); ++i) {
    runners_[i]->thread = std::thread([this, i, body = std::move(bodies[i])] {
      tls_current = this;
      runners_[i]->turn.acquire();
      body();
      runners_[i]->done = true;
      PassOn(/*may_stay=*/false);
    });
  }
  running_ = dice_.Below(runners_.size());
  runners_[running_]->turn.release();
  for (auto& runner : runners_) runner->thread.join();
}

void Interleaver::Point() { PassOn(/*may_stay=*/true); }

void Interleaver::PassOn(bool may_stay) {
  std::vector<size_t> alive;
  for (size_t i = 0; i < runners_.size(); ++i) {
    if (!runners_[i]->done) alive.push_back(i);
  }
  if (alive.empty()) return;
  const size_t self = running_;
  const size_t next = alive[dice_.Below(alive.size())];
  if (may_stay && next == self) return;
  running_ = next;
  runners_[next]->turn.release();
  if (may_stay) runners_[self]->turn.acquire();
}

}  // namespace l4lb
