// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/pool.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/addresses.h"

namespace l4lb {
namespace {

std::shared_ptr<PoolSnapshot> Snapshot(const std::vector<uint32_t>& weights) {
  auto snapshot = std::make_shared<PoolSnapshot>();
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    snapshot->backends.push_back(
        std::make_shared<Backend>(name, Parsed("127.0.0.1:9001"), weights[i]));
  }
  return snapshot;
}

TEST(LeaseTest, MovesAndIsGivenBackOnce) {
  Backend backend("a", Parsed("127.0.0.1:9001"), 1);
  {
    Lease lease = backend.Acquire();
    EXPECT_EQ(backend.active(), 1);
    Lease moved = std::move(lease);
    EXPECT_FALSE(lease);
    EXPECT_EQ(moved.backend(), &backend);
    Lease other = backend.Acquire();
    EXPECT_EQ(backend.active(), 2);
    other = std::move(moved);  // Gives its own back.
    EXPECT_EQ(backend.active(), 1);
    other.Release();
    other.Release();
    EXPECT_EQ(backend.active(), 0);
  }
  EXPECT_EQ(backend.active(), 0);
}

TEST(WorkerPoolTest, PicksByWeightAndTakesALease) {
  WorkerPool pool(Snapshot({1, 2, 0}), {});
  std::map<std::string, int> picked;
  for (int i = 0; i < 300; ++i) {
    Lease lease = pool.Pick(0, {});
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease.backend()->active(), 1);
    ++picked[lease.backend()->name()];
  }
  EXPECT_EQ(picked, (std::map<std::string, int>{{"a", 100}, {"b", 200}}));
  for (const auto& backend : pool.snapshot().backends) EXPECT_EQ(backend->active(), 0);
}

TEST(WorkerPoolTest, NeverPicksWhatWasTried) {
  WorkerPool pool(Snapshot({1, 1, 1}), {});
  std::vector<Backend*> tried;
  for (int i = 0; i < 3; ++i) {
    Lease lease = pool.Pick(0, tried);
    ASSERT_TRUE(lease);
    tried.push_back(lease.backend());
  }
  EXPECT_FALSE(pool.Pick(0, tried));
  EXPECT_TRUE(pool.Pick(0, {}));
}

}  // namespace
}  // namespace l4lb
