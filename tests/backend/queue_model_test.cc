// SPDX-License-Identifier: Apache-2.0
//
// The queue under seeded interleavings of the real code: workers that pick, wait, give up, hold and
// give back, on a few backends with few places.  Nobody may wait while a place is free that would
// do, no limit may ever be exceeded, and nothing may be left over.
//
// L4LB_MODEL_SEED=N runs one interleaving, L4LB_MODEL_CASES=N so many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "l4lb/backend/interleaving.h"
#include "l4lb/backend/worker_pool.h"
#include "tests/backend/interleaver.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Model {
 public:
  explicit Model(uint64_t seed) : interleaver_(seed) {
    Dice& dice = interleaver_.dice();
    const bool limited = dice.Chance(0.5);
    snapshot_->pool = std::make_shared<Pool>(
        "pool", PoolLimits{.max_connections = limited ? dice.Between(1, 3) : 0,
                           .queue = dice.Chance(0.3) ? dice.Between(1, 2) : 100});
    snapshot_->queue_per_backend = dice.Chance(0.3);
    const int backends = static_cast<int>(dice.Between(1, 3));
    for (int i = 0; i < backends; ++i) {
      const int64_t limit = limited && dice.Chance(0.3) ? 0 : dice.Between(1, 2);
      limits_.push_back(limit);
      snapshot_->members.push_back(
          {snapshot_->pool->Add(std::string(1, static_cast<char>('a' + i)),
                                Parsed("127.0.0.1:9001"), {.max_connections = limit}),
           1});
    }
    const int workers = static_cast<int>(dice.Between(2, 4));
    for (int i = 0; i < workers; ++i) {
      workers_.push_back(std::make_unique<ModelWorker>(*this, PolicyStart{i, workers, seed}));
    }
  }

  std::string Run() {
    std::vector<std::function<void()>> bodies;
    for (auto& worker : workers_) bodies.push_back([&worker] { worker->Live(); });
    if (interleaver_.dice().Chance(0.5)) bodies.push_back([this] { ChangeTerms(); });
    interleaver_.Run(std::move(bodies));
    workers_.clear();
    CheckLimits();
    const Pool& pool = *snapshot_->pool;
    if (pool.waiting() != 0) Wrong("somebody is left in the queue");
    if (pool.places().used() != 0) Wrong("a place of the pool is left over");
    for (const auto& member : snapshot_->members) {
      if (member.backend->active() != 0) Wrong("a lease is left over");
    }
    return wrong_;
  }

 private:
  // One worker with one session at a time.
  class ModelWorker final : public LeaseInbox {
   public:
    ModelWorker(Model& model, PolicyStart start)
        : model_(model), waits_(*this), pool_(model.snapshot_, start, waits_) {}

    void PostLease(uint64_t ticket, Lease lease) override {
      InterleavingPoint();
      mail_.emplace_back(ticket, std::move(lease));
    }
    void Live() {
      for (int session = 0; session < 3; ++session) Serve();
      served_ = true;
      while (!model_.AllServed()) {  // A lease may still come for a session that gave up.
        RunMail();
        Rest();
      }
      RunMail();
    }
    /// It is not in the middle of anything, and nothing is on its way to it.
    bool resting() const { return resting_ && mail_.empty(); }
    bool served() const { return served_; }
    const WaitOp* wait() const { return wait_; }

   private:
    void Serve() {
      Dice& dice = model_.interleaver_.dice();
      std::vector<Backend*> tried;
      if (model_.limits_.size() > 1 && dice.Chance(0.3)) {
        tried.push_back(model_.snapshot_->members[dice.Below(model_.limits_.size())].backend.get());
      }
      Picked picked = pool_.Pick(0, tried, 0);
      if (picked.full) picked.lease = Wait(tried, picked.only);
      if (!picked.lease) return;
      for (uint64_t points = dice.Below(16); points > 0; --points) {
        model_.CheckLimits();
        Rest();
      }
      RunMail();  // A lease may have come too late.
      picked.lease.Release();
    }

    Lease Wait(const std::vector<Backend*>& tried, Backend* only) {
      WaitOp wait;
      wait.tried = tried;
      wait.only = only;
      wait.done = [](Op&) {};
      if (!pool_.Wait(wait)) return {};
      const bool impatient = model_.interleaver_.dice().Chance(0.2);
      wait_ = &wait;
      while (wait.in_flight) {
        const bool wrong = model_.CheckNobodyWaitsInVain();
        if (wrong || (impatient && model_.interleaver_.dice().Chance(0.3))) {
          pool_.CancelWait(wait);
          waits_.EndCancelled();
        }
        Rest();
        RunMail();
      }
      wait_ = nullptr;
      return std::move(wait.lease);
    }

    void Rest() {
      resting_ = true;
      InterleavingPoint();
      resting_ = false;
    }

    void RunMail() {
      while (!mail_.empty()) {
        auto [ticket, lease] = std::move(mail_.front());
        mail_.pop_front();
        waits_.Deliver(ticket, std::move(lease));
      }
    }

    Model& model_;
    Waits waits_;
    WorkerPool pool_;
    std::deque<std::pair<uint64_t, Lease>> mail_;
    const WaitOp* wait_ = nullptr;
    bool resting_ = false;
    bool served_ = false;
  };

  // The control thread: takes backends out and brings them back.
  void ChangeTerms() {
    Dice& dice = interleaver_.dice();
    changing_ = true;
    for (uint64_t changes = dice.Below(4); changes > 0; --changes) {
      const size_t index = dice.Below(limits_.size());
      Backend& backend = *snapshot_->members[index].backend;
      snapshot_->pool->SetTerms(backend, {.max_connections = limits_[index], .open = false});
      changing_ = false;
      for (uint64_t points = dice.Below(16); points > 0; --points) InterleavingPoint();
      changing_ = true;
      snapshot_->pool->SetTerms(backend, {.max_connections = limits_[index]});
    }
    changing_ = false;
  }

  // When all others rest, every place is either held or free: called by a worker that waits.
  bool CheckNobodyWaitsInVain() {
    int busy = 0;
    for (const auto& worker : workers_) busy += worker->resting() ? 0 : 1;
    if (busy > 1 || changing_) return false;  // One is the caller.
    const Pool& pool = *snapshot_->pool;
    for (const auto& worker : workers_) {
      const WaitOp* wait = worker->wait();
      if (wait == nullptr || !wait->queued) continue;
      if (wait->only != nullptr && pool.table().closed(wait->only->slot())) {
        Wrong("somebody waits for a backend that takes nobody");
        return true;
      }
      if (pool.places().full()) continue;
      for (const auto& member : snapshot_->members) {
        if (!MayUse(*worker->wait(), *member.backend)) continue;
        if (pool.table().full(member.backend->slot())) continue;
        Wrong("a place is free, and somebody waits for it");
        return true;
      }
    }
    return false;
  }
  bool AllServed() const {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->served(); });
  }
  void CheckLimits() {
    const Places& places = snapshot_->pool->places();
    if (places.limited() && places.used() > places.limit()) Wrong("the pool has too many");
    for (size_t i = 0; i < limits_.size(); ++i) {
      const int64_t active = snapshot_->members[i].backend->active();
      if (active < 0) Wrong("a count below zero");
      if (limits_[i] > 0 && active > limits_[i]) Wrong("a backend has too many");
    }
  }
  void Wrong(const char* what) {
    if (wrong_.empty()) wrong_ = what;
  }

  Interleaver interleaver_;
  std::shared_ptr<PoolSnapshot> snapshot_ = std::make_shared<PoolSnapshot>();
  std::vector<int64_t> limits_;
  std::vector<std::unique_ptr<ModelWorker>> workers_;
  bool changing_ = false;
  std::string wrong_;
};

TEST(QueueModelTest, NobodyWaitsInVainAndNoLimitIsExceeded) {
  const uint64_t only = Setting("L4LB_MODEL_SEED", 0);
  if (only != 0) {
    EXPECT_EQ(Model(only).Run(), "") << "seed " << only;
    return;
  }
  uint64_t cases = Setting("L4LB_MODEL_CASES", 1'500);
  if (std::getenv("L4LB_SANITIZED") != nullptr) cases /= 5;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    ASSERT_EQ(Model(seed).Run(), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace l4lb
