// SPDX-License-Identifier: Apache-2.0
#include "ring/snapshot_cell.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace ring {
namespace {

// Counts how many of its kind live, and is marked dead when it is freed.
class Counted {
 public:
  Counted(int value, std::atomic<int>* living) : value_(value), living_(living) { ++*living_; }
  ~Counted() {
    value_ = -1;
    --*living_;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int value() const { return value_; }

 private:
  std::atomic<int> value_;
  std::atomic<int>* const living_;
};

TEST(SnapshotCellTest, ReplaceFreesTheOldValue) {
  std::atomic<int> living = 0;
  {
    SnapshotCell<Counted> cell(std::make_unique<const Counted>(1, &living));
    for (int i = 2; i < 10; ++i) {
      cell.Replace(std::make_unique<const Counted>(i, &living));
      EXPECT_EQ(cell.Read([](const Counted& counted) { return counted.value(); }), i);
      EXPECT_EQ(living, 1);
    }
  }
  EXPECT_EQ(living, 0);
}

TEST(SnapshotCellTest, AWriterWaitsForWhoReadsTheOldValueAndForNobodyElse) {
  std::atomic<int> living = 0;
  SnapshotCell<Counted> cell(std::make_unique<const Counted>(1, &living));
  std::promise<void> reading;
  std::promise<void> finish;
  std::thread reader([&] {
    cell.Read([&](const Counted& counted) {
      reading.set_value();
      finish.get_future().wait();
      EXPECT_EQ(counted.value(), 1);
      return 0;
    });
  });
  reading.get_future().wait();
  std::atomic<bool> replaced = false;
  std::thread writer([&] {
    cell.Replace(std::make_unique<const Counted>(2, &living));
    replaced = true;
  });
  // Readers go on, and see the new value soon, while the writer waits.
  while (cell.Read([](const Counted& counted) { return counted.value(); }) != 2) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(replaced);
  EXPECT_EQ(living, 2);
  finish.set_value();
  reader.join();
  writer.join();
  EXPECT_EQ(living, 1);
}

TEST(SnapshotCellTest, NobodySeesAFreedValue) {
  std::atomic<int> living = 0;
  SnapshotCell<Counted> cell(std::make_unique<const Counted>(0, &living));
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      int last = 0;
      while (!stop) {
        const int value = cell.Read([](const Counted& counted) { return counted.value(); });
        EXPECT_GE(value, last);  // And so never -1.
        last = value;
      }
    });
  }
  for (int i = 1; i <= 3000; ++i) cell.Replace(std::make_unique<const Counted>(i, &living));
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(living, 1);
}

}  // namespace
}  // namespace ring
