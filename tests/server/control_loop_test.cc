// SPDX-License-Identifier: Apache-2.0
//
// The control thread's life: what it is asked, the file that it watches, signals, and the end.
#include "l4lb/server/control_loop.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "l4lb/config/load.h"
#include "l4lb/server/control_desk.h"
#include "tests/server/each_engine.h"
#include "tests/server/letters.h"
#include "tests/server/status_check.h"
#include "tests/server/temporary_folder.h"

namespace l4lb {
namespace {

// Before any thread is made: signals are to reach the loop, and not to end the test.
const bool kSignalsAreBlocked = [] {
  BlockSignals();
  return true;
}();

class ControlLoopTest : public ::testing::TestWithParam<Config::Engine> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kSignalsAreBlocked);
    NeedEngine(GetParam());
  }
  void TearDown() override {
    if (thread_.joinable()) {
      for (int stops = 0; stops < 3; ++stops) Do([](ControlLoop& loop) { loop.Stop({"test"}); });
      thread_.join();
    }
  }

  std::string Text(const std::string& letters, const std::string& more = "") {
    std::string backends;
    for (const char letter : letters) {
      const LetterBackend& backend = letter == 'a' ? a_ : b_;
      absl::StrAppend(&backends, "{name: ", std::string(1, letter), ", address: \"",
                      backend.address(), "\"}, ");
    }
    return absl::StrCat("workers: 2\nengine: ", EngineName(GetParam()), "\n", more,
                        "listeners: [{name: front, bind: \"127.0.0.1:0\", pool: back}]\n"
                        "pools: [{name: back, policy: round_robin, backends: [",
                        backends, "]}]\n");
  }
  void Write(const std::string& text) { folder_.Write("l4lb.yaml", text); }

  /// Starts the server of the file and, on a thread of its own, its loop.
  void Start(const std::string& text) {
    Write(text);
    const absl::StatusOr<Config> config = ParseConfig("l4lb.yaml", text);
    ASSERT_TRUE(config.ok()) << config.status();
    auto server = Server::Start(*config);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    address_ = server_->FirstAddress();
    loop_ = std::make_unique<ControlLoop>(*server_, ConfigSource(folder_.path("l4lb.yaml")),
                                          [this](const Config&) { ++reloads_; });
    desk_ = std::make_unique<ControlDesk>(*loop_);
    thread_ = std::thread([this] {
      loop_->Run();
      ended_ = true;
    });
  }
  void Do(const std::function<void(ControlLoop&)>& what) {
    loop_->Post([this, what] { what(*loop_); });
  }
  bool Ends() {
    return Within([this] { return ended_.load(); });
  }

  const TemporaryFolder folder_;
  LetterBackend a_{'a'};
  LetterBackend b_{'b'};
  std::unique_ptr<Server> server_;
  std::string address_;
  std::atomic<int> reloads_{0};
  std::atomic<bool> ended_{false};
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<ControlDesk> desk_;
  std::thread thread_;
};

INSTANTIATE_TEST_SUITE_P(Engines, ControlLoopTest, EveryEngine(),
                         [](const auto& param) { return EngineName(param.param); });

TEST_P(ControlLoopTest, TasksOfManyThreadsAllRunOnOne) {
  Start(Text("a"));
  constexpr int kThreads = 8;
  constexpr int kEach = 200;
  int done = 0;  // Not atomic: one thread runs them all.
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int task = 0; task < kEach; ++task) EXPECT_TRUE(loop_->Post([&done] { ++done; }));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::atomic<int> seen{-1};
  Do([&](ControlLoop&) { seen = done; });
  EXPECT_TRUE(Within([&] { return seen == kThreads * kEach; })) << seen;
}

TEST_P(ControlLoopTest, ManyAskAtOnceAndEachGetsHisAnswer) {
  Start(Text("ab"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      for (int round = 0; round < 10; ++round) {
        const absl::StatusOr<ProcessStatus> status = desk_->Status();
        ASSERT_TRUE(status.ok()) << status.status();
        ExpectInOrder(*status);
        EXPECT_TRUE(status->ready);
        const std::string name = absl::StrCat("x", i);
        EXPECT_TRUE(
            desk_->AddBackend("back", {.name = name, .address = "127.0.0.1:1"}, {"t"}).ok());
        EXPECT_TRUE(absl::IsAlreadyExists(
            desk_->AddBackend("back", {.name = name, .address = "127.0.0.1:1"}, {"t"})));
        EXPECT_TRUE(desk_->RemoveBackend("back", name, {"t"}).ok());
        EXPECT_TRUE(absl::IsNotFound(desk_->RemoveBackend("back", name, {"t"})));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ControlLoopTest, AReloadReadsTheFileAndAWrongOneKeepsTheOld) {
  Start(Text("a"));
  Write(Text("b"));
  auto report = desk_->Reload({"test"});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->changed);
  const std::string hash = report->hash;
  EXPECT_EQ(AskAnew(address_, 2), "bb");
  for (const char* wrong : {"", "listeners: [", "nonsense: 1\n"}) {
    Write(wrong);
    report = desk_->Reload({"test"});
    ASSERT_FALSE(report.ok());
    EXPECT_NE(report.status().message().find("l4lb.yaml"), std::string::npos) << report.status();
    EXPECT_EQ(AskAnew(address_, 1), "b");
    EXPECT_EQ(desk_->Status()->config.last_error, report.status().message());
  }
  EXPECT_EQ(desk_->Status()->config.hash, hash);
  EXPECT_EQ(reloads_, 1) << "of those that were taken over";
  Write(Text("a"));
  report = desk_->Reload({"test"});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_NE(report->hash, hash);
  EXPECT_EQ(AskAnew(address_, 2), "aa");
  EXPECT_EQ(desk_->Status()->config.reloads, 2u);
  EXPECT_EQ(desk_->Status()->config.reloads_failed, 3u);
  EXPECT_EQ(desk_->Status()->config.last_error, "");
}

TEST_P(ControlLoopTest, SighupReloads) {
  Start(Text("a"));
  Write(Text("b"));
  ASSERT_EQ(::kill(::getpid(), SIGHUP), 0);
  EXPECT_TRUE(Within([this] { return reloads_ == 1; }));
  EXPECT_EQ(AskAnew(address_, 2), "bb");
}

// Nobody asks for anything meanwhile.
TEST_P(ControlLoopTest, AWatchedFileIsTakenOverByItself) {
  if (GetParam() != Config::Engine::kEpoll) GTEST_SKIP() << "no engine has to do with it";
  Start(Text("a", "watch: true\n"));
  absl::SleepFor(absl::Milliseconds(50));
  Write(Text("b", "watch: true\n"));
  EXPECT_TRUE(Within([this] { return reloads_ == 1; }));
  EXPECT_EQ(AskAnew(address_, 2), "bb");
  Write(Text("a"));  // And watched no more.
  EXPECT_TRUE(Within([this] { return reloads_ == 2; }));
  Write(Text("b"));
  absl::SleepFor(absl::Milliseconds(1'100));  // Two looks.
  EXPECT_EQ(reloads_, 2);
}

TEST_P(ControlLoopTest, WatchingBeginsWithTheReloadThatAsksForIt) {
  if (GetParam() != Config::Engine::kEpoll) GTEST_SKIP() << "no engine has to do with it";
  Start(Text("a"));
  Write(Text("a", "watch: true\n"));
  ASSERT_TRUE(desk_->Reload({"test"}).ok());
  EXPECT_EQ(reloads_, 1);
  absl::SleepFor(absl::Milliseconds(600));  // It has looked once.
  Write(Text("b", "watch: true\n"));
  EXPECT_TRUE(Within([this] { return reloads_ >= 2; }));
  EXPECT_EQ(AskAnew(address_, 2), "bb");
}

TEST_P(ControlLoopTest, AnIdleServerStopsAtOnceAndThenRefusesTasks) {
  Start(Text("a"));
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
  EXPECT_TRUE(Ends());
  EXPECT_FALSE(loop_->ready());
  EXPECT_FALSE(loop_->Post([] { FAIL() << "nobody is there to run it"; }));
  EXPECT_TRUE(absl::IsUnavailable(desk_->Status().status()));
  EXPECT_TRUE(absl::IsUnavailable(desk_->DrainListener("front", {"test"})));
}

TEST_P(ControlLoopTest, WhoAsksWhileItEndsGetsAnAnswer) {
  Start(Text("a"));
  std::atomic<bool> stopping{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (;;) {
        const absl::Status status = desk_->Status().status();
        if (status.ok()) continue;
        EXPECT_TRUE(absl::IsUnavailable(status)) << status;
        EXPECT_TRUE(stopping);
        return;
      }
    });
  }
  stopping = true;
  EXPECT_TRUE(desk_->DrainProcess({"test"}).ok());
  EXPECT_TRUE(Ends());
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ControlLoopTest, ADrainLetsSessionsEndByThemselves) {
  Start(Text("a", "drain_timeout: 1h\n"));
  LetterClient client(address_);
  EXPECT_EQ(client.Ask(), 'a');
  EXPECT_TRUE(desk_->DrainProcess({"test"}).ok());
  EXPECT_TRUE(desk_->DrainProcess({"test"}).ok()) << "as a second signal it would close them";
  EXPECT_FALSE(loop_->ready());
  EXPECT_TRUE(Within([this] { return !LetterClient(address_).connected(); }));
  const auto status = desk_->Status();
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(status->draining);
  EXPECT_FALSE(status->ready);
  EXPECT_GT(status->drain_left_ms, 0);
  EXPECT_EQ(client.Ask(), 'a');
  EXPECT_FALSE(ended_);
  client.Close();
  EXPECT_TRUE(Ends());
}

TEST_P(ControlLoopTest, ADrainEndsAfterItsTimeout) {
  Start(Text("a", "drain_timeout: 300ms\n"));
  LetterClient client(address_);
  EXPECT_EQ(client.Ask(), 'a');
  Do([](ControlLoop& loop) { loop.Stop({"test"}); });
  EXPECT_TRUE(client.Ends());
  EXPECT_TRUE(Ends());
}

TEST_P(ControlLoopTest, ASecondStopClosesSessionsAtOnce) {
  Start(Text("a", "drain_timeout: 1h\n"));
  LetterClient client(address_);
  EXPECT_EQ(client.Ask(), 'a');
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
  EXPECT_TRUE(Within([this] { return !loop_->ready(); }));
  EXPECT_EQ(client.Ask(), 'a');
  ASSERT_EQ(::kill(::getpid(), SIGINT), 0);
  EXPECT_TRUE(client.Ends());
  EXPECT_TRUE(Ends());
}

TEST_P(ControlLoopTest, ShutdownDelayIsNotReadyAndStillAccepting) {
  Start(Text("a", "drain_timeout: 1h\nshutdown_delay: 500ms\n"));
  const absl::Time begin = absl::Now();
  Do([](ControlLoop& loop) { loop.Stop({"test"}); });
  EXPECT_TRUE(Within([this] { return !loop_->ready(); }));
  LetterClient client(address_);
  const char letter = client.Ask();
  // A slow machine may come too late.
  EXPECT_TRUE(letter == 'a' || absl::Now() - begin > absl::Milliseconds(400));
  EXPECT_TRUE(desk_->Status()->draining);
  EXPECT_TRUE(Within([this] { return !LetterClient(address_).connected(); }));
  EXPECT_GE(absl::Now() - begin, absl::Milliseconds(500));
  client.Close();
  EXPECT_TRUE(Ends());
}

TEST_P(ControlLoopTest, ASecondStopEndsTheShutdownDelay) {
  Start(Text("a", "drain_timeout: 1h\nshutdown_delay: 1h\n"));
  Do([](ControlLoop& loop) { loop.Stop({"test"}); });
  EXPECT_TRUE(Within([this] { return !loop_->ready(); }));
  Do([](ControlLoop& loop) { loop.Stop({"test"}); });
  EXPECT_TRUE(Ends());
}

TEST_P(ControlLoopTest, AReloadDuringADrainIsRefused) {
  Start(Text("a", "drain_timeout: 1h\n"));
  LetterClient client(address_);
  EXPECT_EQ(client.Ask(), 'a');
  EXPECT_TRUE(desk_->DrainProcess({"test"}).ok());
  Write(Text("b", "drain_timeout: 1h\n"));
  EXPECT_TRUE(absl::IsUnavailable(desk_->Reload({"test"}).status()));
  EXPECT_EQ(client.Ask(), 'a');
  client.Close();
  EXPECT_TRUE(Ends());
}

}  // namespace
}  // namespace l4lb
