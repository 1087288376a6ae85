// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/event_log.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/manual_clock.h"

namespace l4lb {
namespace {

// An output that can be held up.
class Output {
 public:
  EventLogOptions Options(const Clock* clock = nullptr) {
    return {.clock = clock, .write = [this](Event event, std::string_view line) {
              std::unique_lock lock(mutex_);
              ++begun_;
              changed_.notify_all();
              changed_.wait(lock, [this] { return open_; });
              events_.push_back(event);
              lines_.emplace_back(line);
            }};
  }
  void SetOpen(bool open) {
    std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  /// Until a line is being written.
  void AwaitBegun() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return begun_ > 0; });
  }
  std::vector<std::string> lines() {
    std::lock_guard lock(mutex_);
    return lines_;
  }
  std::vector<Event> events() {
    std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int begun_ = 0;
  std::vector<Event> events_;
  std::vector<std::string> lines_;
};

// The sum of all "N more suppressed".
uint64_t Mentioned(const std::vector<std::string>& lines) {
  uint64_t sum = 0;
  for (const std::string& line : lines) {
    const size_t end = line.rfind(" more suppressed");
    if (end == line.npos) continue;
    const size_t before = line.find_last_not_of("0123456789", end - 1);
    sum += std::stoull(line.substr(before + 1, end - before - 1));
  }
  return sum;
}

using Text = std::vector<std::string>;

TEST(EventLogTest, WritesInOrderAndAllBeforeItEnds) {
  Output output;
  auto log = MakeEventLog(output.Options());
  log->Post(Event::connect_failed, "pg1: connection refused");
  log->Post(Event::no_backend, "pool pg");
  log.reset();
  EXPECT_EQ(output.lines(),
            (Text{"connect_failed: pg1: connection refused", "no_backend: pool pg"}));
  EXPECT_EQ(output.events(), (std::vector<Event>{Event::connect_failed, Event::no_backend}));
}

TEST(EventLogTest, FiveLinesPerSecondOfAKind) {
  ManualClock clock;
  Output output;
  auto log = MakeEventLog(output.Options(&clock));
  for (int i = 0; i < 8; ++i) log->Post(Event::connect_failed, "a");
  log->Post(Event::no_port, "another kind");
  EXPECT_EQ(log->suppressed(), 3u);
  clock.Advance(999);
  log->Post(Event::connect_failed, "b");
  EXPECT_EQ(log->suppressed(), 4u);
  clock.Advance(1);
  log->Post(Event::connect_failed, "c");
  log->Post(Event::connect_failed, "d");
  log.reset();
  const std::string a = "connect_failed: a";
  EXPECT_EQ(output.lines(), (Text{a, a, a, a, a, "no_port: another kind",
                                  "connect_failed: c (4 more suppressed)", "connect_failed: d"}));
}

TEST(EventLogTest, WhatIsHeldBackAtTheEndIsMentioned) {
  ManualClock clock;
  Output output;
  auto log = MakeEventLog(output.Options(&clock));
  for (int i = 0; i < 100; ++i) log->Post(Event::no_port, "x");
  log.reset();
  ASSERT_EQ(output.lines().size(), 6u);
  EXPECT_EQ(output.lines().back(), "no_port: 95 more suppressed");
}

TEST(EventLogTest, StuckOutputDropsAndCounts) {
  ManualClock clock;
  Output output;
  output.SetOpen(false);
  auto log = MakeEventLog(output.Options(&clock));
  log->Post(Event::internal, "first");
  output.AwaitBegun();
  uint64_t posted = 1;
  for (int second = 0; second < 300; ++second) {
    clock.Advance(1000);
    for (int i = 0; i < 6; ++i, ++posted) log->Post(Event::internal, "more");
  }
  EXPECT_EQ(log->suppressed(), posted - 1 - 1024);
  output.SetOpen(true);
  const uint64_t suppressed = log->suppressed();
  log.reset();
  EXPECT_EQ(Mentioned(output.lines()), suppressed);
  EXPECT_EQ(output.lines().size(), 1u + 1024 + 1);
}

TEST(EventLogTest, EndsThoughItsOutputIsStuck) {
  auto output = std::make_shared<Output>();
  output->SetOpen(false);
  EventLogOptions options = output->Options();
  // The thread stays behind for a while, and keeps what it uses.
  options.write = [output, write = options.write](Event event, std::string_view line) {
    write(event, line);
  };
  auto log = MakeEventLog(options);
  log->Post(Event::internal, "late");
  output->AwaitBegun();
  log.reset();
  EXPECT_EQ(output->lines(), Text{});
  output->SetOpen(true);
}

TEST(EventLogTest, ManyThreadsAddUp) {
  constexpr int kThreads = 4;
  constexpr int kPosts = 500;
  Output output;
  auto log = MakeEventLog(output.Options());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&log] {
      for (int i = 0; i < kPosts; ++i) log->Post(static_cast<Event>(i % 3), "text");
    });
  }
  for (std::thread& thread : threads) thread.join();
  const uint64_t suppressed = log->suppressed();
  log.reset();
  uint64_t written = 0;
  for (const std::string& line : output.lines()) {
    if (line.find(": text") != std::string::npos) ++written;
  }
  EXPECT_EQ(written + suppressed, uint64_t{kThreads} * kPosts);
  EXPECT_EQ(Mentioned(output.lines()), suppressed);
}

TEST(EventLogTest, LongAndHostileTextsAreCutAndFlattened) {
  Output output;
  auto log = MakeEventLog(output.Options());
  log->Post(Event::internal, std::string(239, 'x') + "\xC3\xA4 and more");
  log->Post(Event::internal, "two\nlines\x1b[31m");
  log.reset();
  EXPECT_EQ(output.lines(),
            (Text{"internal: " + std::string(239, 'x'), "internal: two lines [31m"}));
}

TEST(EventLogTest, EveryEventHasItsName) {
  EXPECT_EQ(Name(Event::connect_failed), "connect_failed");
  EXPECT_EQ(Name(Event::access_log), "access_log");
  EXPECT_EQ(Name(Event::internal), "internal");
}

TEST(EventLogTest, GoesToGlogByDefault) {
  testing::internal::CaptureStderr();
  MakeEventLog()->Post(Event::no_port, "toward 10.0.0.1:80");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("no_port: toward 10.0.0.1:80"), std::string::npos) << text;
  EXPECT_NE(text.find("E"), std::string::npos);
}

}  // namespace
}  // namespace l4lb
