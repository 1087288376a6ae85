// SPDX-License-Identifier: Apache-2.0
//
// What checks cost: 10,000 backends, checked every 2 s, take less than 15 % of one core.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "l4lb/engine/make_engine.h"
#include "l4lb/health/checker.h"
#include "l4lb/net/unique_fd.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

constexpr int kTargets = 10'000;
constexpr int64_t kIntervalMs = 2000;
constexpr double kLimitPercent = 15;

/// At all addresses of 127.0.0.0/8: accepts, answers to whatever it gets, and closes after the FIN.
class Backends {
 public:
  Backends()
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    const SocketAddress any = Parsed("0.0.0.0:0");
    PCHECK(::bind(listener_.get(), any.get(), any.size()) == 0);
    PCHECK(::listen(listener_.get(), 4096) == 0);
    sockaddr_storage bound;
    socklen_t size = sizeof bound;
    PCHECK(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0);
    port_ = SocketAddress(reinterpret_cast<const sockaddr*>(&bound), size).port();
    Watch(listener_.get());
    thread_ = std::thread([this] { Run(); });
  }
  ~Backends() {
    stop_ = true;
    thread_.join();
  }
  uint16_t port() const { return port_; }
  int64_t accepted() const { return accepted_; }

 private:
  void Watch(int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    PCHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
  }
  void Run() {
    std::array<epoll_event, 256> events;
    while (!stop_) {
      const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), 100);
      for (int i = 0; i < count; ++i) {
        events[i].data.fd == listener_.get() ? AcceptAll() : Answer(events[i].data.fd);
      }
    }
  }
  void AcceptAll() {
    int fd;
    while ((fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
      ++accepted_;
      Watch(fd);
    }
  }
  static void Answer(int fd) {
    char bytes[512];
    if (::recv(fd, bytes, sizeof bytes, 0) > 0) {
      constexpr std::string_view kPong = "+PONG\r\n";
      (void)!::send(fd, kPong.data(), kPong.size(), MSG_NOSIGNAL);
    } else {
      ::close(fd);
    }
  }

  UniqueFd listener_;
  UniqueFd epoll_;
  uint16_t port_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int64_t> accepted_ = 0;
  std::thread thread_;
};

/// User and system time of the thread of this name.
double CpuSeconds(const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string comm, stat;
    std::getline(std::ifstream(task.path() / "comm"), comm);
    if (comm != name) continue;
    std::getline(std::ifstream(task.path() / "stat"), stat);
    const std::vector<std::string> fields = absl::StrSplit(stat.substr(stat.rfind(')') + 2), ' ');
    int64_t user = 0, system = 0;
    CHECK(absl::SimpleAtoi(fields[11], &user) && absl::SimpleAtoi(fields[12], &system));
    return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  ADD_FAILURE() << "no thread " << name;
  return 0;
}

void Measure(EngineKind engine, const CheckPlan& plan, const char* what) {
  Backends backends;
  std::atomic<int> up = 0;
  std::atomic<int> down = 0;
  auto checker = Checker::Start({.engine = engine, .on_news = [&](const CheckNews& news) {
                                   ++(news.health == Health::kUp ? up : down);
                                 }});
  ASSERT_TRUE(checker.ok()) << checker.status();
  const auto shared = std::make_shared<const CheckPlan>(plan);
  for (int i = 0; i < kTargets; ++i) {
    const std::string address =
        absl::StrCat("127.1.", i / 250, ".", 1 + i % 250, ":", backends.port());
    (*checker)->Add(
        i, {.address = Parsed(address), .plan = shared, .first_in_ms = i * kIntervalMs / kTargets});
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(3 * kIntervalMs));
  EXPECT_EQ(up, kTargets);
  const double before = CpuSeconds("checker");
  const int64_t checks = backends.accepted();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(8));
  const double percent =
      (CpuSeconds("checker") - before) * 100 /
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << Name(engine) << ", " << what << ": " << percent << " % of one core, "
            << (backends.accepted() - checks) / 8 << " checks a second\n";
  uint64_t failed = 0;
  uint64_t not_made = 0;
  for (const auto& [id, status] : (*checker)->Status()) {
    failed += status.failed;
    not_made += status.not_made;
  }
  EXPECT_EQ(failed, 0u);
  EXPECT_EQ(not_made, 0u);
  EXPECT_EQ(down, 0);
  const double allowed = std::getenv("L4LB_STRICT") != nullptr ? 1 : 5;
  EXPECT_LT(percent, kLimitPercent * allowed);
}

class CheckerCostTest : public ::testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    if (GetParam() != EngineKind::kUring) return;
    if (const absl::Status status = UringAvailable(); !status.ok()) GTEST_SKIP() << status;
  }
};

TEST_P(CheckerCostTest, Tcp) { Measure(GetParam(), {.interval_ms = kIntervalMs}, "tcp"); }

TEST_P(CheckerCostTest, SendExpect) {
  Measure(GetParam(),
          {.interval_ms = kIntervalMs, .send = "PING\r\n", .expected = ExpectText("+PONG")},
          "send_expect");
}

INSTANTIATE_TEST_SUITE_P(Engines, CheckerCostTest,
                         ::testing::Values(EngineKind::kEpoll, EngineKind::kUring),
                         [](const auto& info) {
                           return info.param == EngineKind::kEpoll ? "Epoll" : "Uring";
                         });

}  // namespace
}  // namespace l4lb
