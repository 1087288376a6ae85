// SPDX-License-Identifier: Apache-2.0
//
// Workers as the control thread speaks to them, without any listener.
#include "l4lb/server/worker_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "l4lb/observe/event_log.h"
#include "tests/server/each_engine.h"
#include "tests/server/letters.h"

namespace l4lb {
namespace {

class WorkerSetTest : public ::testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    NeedEngine(GetParam() == EngineKind::kUring ? Config::Engine::kUring : Config::Engine::kEpoll);
  }
  absl::Status Start(WorkerSet& workers, const EngineOptions& options = {}) {
    return workers.Start(GetParam(), options, [this, &workers](int index) {
      ++plans_;
      WorkerPlan plan;
      plan.index = index;
      plan.places = &places_;
      plan.crew = &workers.crew();
      plan.events = events_.get();
      return plan;
    });
  }

  Places places_{100};
  std::unique_ptr<EventLog> events_ = MakeEventLog();
  int plans_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Engines, WorkerSetTest,
                         ::testing::Values(EngineKind::kEpoll, EngineKind::kUring),
                         [](const auto& param) { return std::string(Name(param.param)); });

TEST_P(WorkerSetTest, AskWaitsUntilEveryWorkerHasDoneIt) {
  WorkerSet workers(4);
  ASSERT_TRUE(Start(workers).ok());
  EXPECT_EQ(plans_, 4);
  for (int round = 1; round <= 50; ++round) {
    auto done = std::make_shared<std::atomic<int>>(0);
    EXPECT_TRUE(workers.Ask([done](Worker&) { ++*done; }));
    EXPECT_EQ(*done, 4);
  }
}

TEST_P(WorkerSetTest, TasksOfOneWorkerRunInOrder) {
  WorkerSet workers(2);
  ASSERT_TRUE(Start(workers).ok());
  auto order = std::make_shared<std::vector<int>>();
  for (int i = 0; i < 1'000; ++i) workers.Tell(1, [order, i](Worker&) { order->push_back(i); });
  workers.Ask([](Worker&) {});
  ASSERT_EQ(order->size(), 1'000u);
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ((*order)[i], i);
}

TEST_P(WorkerSetTest, EachRunsOnAThreadOfItsOwn) {
  WorkerSet workers(3);
  ASSERT_TRUE(Start(workers).ok());
  std::vector<std::thread::id> threads(3);
  for (int i = 0; i < 3; ++i) {
    workers.Tell(i, [&threads, i](Worker&) { threads[i] = std::this_thread::get_id(); });
  }
  workers.Ask([](Worker&) {});
  EXPECT_NE(threads[0], threads[1]);
  EXPECT_NE(threads[1], threads[2]);
  EXPECT_NE(threads[0], std::this_thread::get_id());
}

TEST_P(WorkerSetTest, IdleOnlyOnceAllAreClosedAndThenNobodyIsAsked) {
  WorkerSet workers(2);
  ASSERT_TRUE(Start(workers).ok());
  EXPECT_FALSE(workers.idle());
  workers.Tell(0, [](Worker& worker) { worker.StopListening(); });
  workers.Ask([](Worker&) {});
  EXPECT_FALSE(workers.idle());
  workers.Tell([](Worker& worker) { worker.StopListening(); });
  EXPECT_TRUE(Within([&workers] { return workers.idle(); }));
  auto done = std::make_shared<std::atomic<int>>(0);
  EXPECT_TRUE(workers.Ask([done](Worker&) { ++*done; })) << "nobody is left to wait for";
  EXPECT_EQ(*done, 0);
  workers.End();
  workers.End();
}

TEST_P(WorkerSetTest, NothingIsLeftToCloseWhereNobodyIs) {
  WorkerSet workers(2);
  ASSERT_TRUE(Start(workers).ok());
  EXPECT_TRUE(workers.CloseIdlest(0, {}).empty());
  Pool pool("pool", {});
  const auto backend = pool.Add("a", {}, {});
  const std::vector<Surplus> left = workers.CloseIdlest(0, {{backend.get(), 3}});
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].count, 3);
}

}  // namespace
}  // namespace l4lb
