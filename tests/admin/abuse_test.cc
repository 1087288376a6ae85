// SPDX-License-Identifier: Apache-2.0
//
// The admin port under clients that send too much, too little, too slowly or nonsense, and clients
// that do not read.  After each of them an ordinary request is answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "l4lb/admin/admin_server.h"
#include "tests/admin/fake_control.h"
#include "tests/admin/raw_client.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

using Clients = std::vector<std::unique_ptr<RawClient>>;

constexpr int64_t kMostKiB = 1024;  // Growth of memory, as trial N03 has it.
constexpr int kHealthMs = 100 * 5;  // Of an answer of /healthz; in CI five times the limit.
constexpr int kPatienceMs = 30'000;

int64_t MsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

template <typename Condition>
bool WaitUntil(const Condition& condition) {
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    if (MsSince(start) > kPatienceMs) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

class AbuseTest : public ::testing::Test {
 protected:
  void Start(AdminOptions options = {}) {
    options.bind = "127.0.0.1:0";
    absl::StatusOr<std::unique_ptr<AdminServer>> server = AdminServer::Start(options, control_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    quiet_fds_ = OpenFds();
    for (int i = 0; i < 3; ++i) AskOnce(address(), "/v1/status");  // Whatever is made only once.
  }

  const std::string& address() const { return server_->address(); }

  Clients Connect(int count, int receive_buffer = 0) {
    Clients clients;
    for (int i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<RawClient>(address(), receive_buffer));
    }
    return clients;
  }

  void ExpectHealthy() {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(AskOnce(address(), "/healthz").status, 200);
    const int64_t ms = MsSince(start);
    RecordProperty("healthz_ms", std::to_string(ms));
    EXPECT_LT(ms, kHealthMs);
  }

  /// Clients that ask for all sessions and do not read.
  void ExpectStuckAreEnded(int count) {
    const int64_t fds = quiet_fds_;
    ASSERT_TRUE(WaitUntil([&] { return OpenFds() == fds; })) << "earlier connections are closed";
    const Clients stuck = Connect(count, 4096);
    ASSERT_TRUE(WaitUntil([&] { return OpenFds() == fds + 2 * count; })) << "all are accepted";
    for (const auto& client : stuck) {
      client->Send("GET /v1/sessions?limit=5000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    ExpectHealthy();
    EXPECT_EQ(AskOnce(address(), "/v1/workers").status, 200);
    EXPECT_TRUE(WaitUntil([&] { return OpenFds() == fds + count; })) << "our ends are closed";
    ExpectHealthy();
  }

  /// Sanitizers take memory of their own.
  static void ExpectMemory(int64_t before_kib) {
    const int64_t grown = PrivateKiB() - before_kib;
    RecordProperty("grown_kib", std::to_string(grown));
    if (std::getenv("L4LB_SANITIZED") != nullptr) return;
    EXPECT_LT(grown, kMostKiB);
  }

  FakeControl control_;
  std::unique_ptr<AdminServer> server_;
  int64_t quiet_fds_ = 0;  // Open descriptors while nobody is connected.
};

TEST_F(AbuseTest, SilentConnectionsKeepNobodyOut) {
  Start();
  const Clients prepared = Connect(1);  // The memory of clients is not what is measured.
  const int64_t before = PrivateKiB();
  const Clients silent = Connect(500);
  ExpectHealthy();
  ExpectMemory(before);
  EXPECT_EQ(AskOnce(address(), "/v1/status").status, 200);
  for (int i = 0; i < 500 - 64; ++i) {
    ASSERT_TRUE(silent[static_cast<size_t>(i)]->ReadsEnd(kPatienceMs)) << i;
  }
}

TEST_F(AbuseTest, HalfOfAHeadKeepsNobodyOut) {
  Start();
  const Clients slow = Connect(200);
  for (const auto& client : slow) client->Send("GET /v1/status HTTP/1.1\r\nHost: loc");
  ExpectHealthy();
  EXPECT_EQ(AskOnce(address(), "/v1/status").status, 200);
}

TEST_F(AbuseTest, AHeadWithoutEnd) {
  Start();
  const std::string megabyte(1 << 20, 'x');
  const int64_t before = PrivateKiB();
  RawClient client(address());
  client.Send("GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
  size_t sent = 0;
  while (sent < 64u << 20 && client.Send(megabyte)) sent += megabyte.size();
  EXPECT_LT(sent, 64u << 20) << "nobody reads 64 MiB";
  ExpectHealthy();
  ExpectMemory(before);
}

TEST_F(AbuseTest, ATargetWithoutEnd) {
  Start();
  RawClient client(address());
  client.SendFor("GET /" + std::string(1 << 20, 'x'), 1000);
  const int status = client.Read().status;
  EXPECT_TRUE(status == 414 || status == 431 || status == 0) << status;
  ExpectHealthy();
}

TEST_F(AbuseTest, ALargeHeadIsRefused) {
  Start();
  RawClient client(address());
  EXPECT_EQ(client.Ask("GET", "/", "X: " + std::string(20 << 10, 'x') + "\r\n").status, 200);
  client.SendFor("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(40 << 10, 'x'), 1000);
  EXPECT_EQ(client.Read().status, 431);
  ExpectHealthy();
}

TEST_F(AbuseTest, ALargeBodyIsRefused) {
  Start();
  const std::string most(64 << 10, ' ');
  EXPECT_EQ(RawClient(address()).Ask("POST", "/v1/reload", "", most).status, 400) << "not JSON";
  EXPECT_EQ(RawClient(address()).Ask("POST", "/v1/reload", "", most + " ").status, 413);
  RawClient announced(address());
  announced.Send("POST /v1/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10485760\r\n\r\n");
  EXPECT_EQ(announced.Read().status, 413);
  RawClient overflow(address());
  overflow.Send(
      "POST /v1/reload HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n");
  EXPECT_GE(overflow.Read().status, 400);
  EXPECT_TRUE(control_.calls().empty());
  ExpectHealthy();
}

TEST_F(AbuseTest, ChunkedBodies) {
  Start();
  const std::string head =
      "PATCH /v1/pools/p/backends/b HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n";
  RawClient client(address());
  client.Send(head + "8\r\n{\"weight\r\n5\r\n\": 5}\r\n0\r\n\r\n");
  EXPECT_EQ(client.Read().status, 204);
  ASSERT_EQ(control_.calls().size(), 1u);
  EXPECT_THAT(control_.calls()[0], ::testing::HasSubstr("weight=5"));
  RawClient large(address());
  large.Send(head);
  for (int i = 0; i < 5; ++i) large.Send("4000\r\n" + std::string(0x4000, ' ') + "\r\n");
  large.Send("0\r\n\r\n");
  EXPECT_EQ(large.Read().status, 413);
  RawClient endless(address());
  endless.Send(head);
  int chunks = 0;
  while (chunks < 1000 && endless.Send("4000\r\n" + std::string(0x4000, ' ') + "\r\n")) ++chunks;
  EXPECT_LT(chunks, 1000) << "nobody reads a body for ever";
  RawClient broken(address());
  broken.Send(head + "zz\r\n");
  EXPECT_EQ(broken.Read().status, 400);
  EXPECT_EQ(control_.calls().size(), 1u);
  ExpectHealthy();
}

TEST_F(AbuseTest, AHundredRequestsInOneWrite) {
  Start();
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    absl::StrAppend(&requests, "GET ", i % 2 == 0 ? "/healthz" : "/v1/workers",
                    " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  RawClient client(address());
  client.Send(requests);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(client.Read().status, 200) << i;
}

TEST_F(AbuseTest, AClientThatHasFinishedSendingIsAnswered) {
  Start({.limits = {.request_ms = 500}});
  for (const char* target : {"/healthz", "/v1/status"}) {
    RawClient client(address());
    client.Send(absl::StrCat("GET ", target, " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    client.FinishSending();
    EXPECT_EQ(client.Read().status, 200) << target;
    EXPECT_TRUE(client.ReadsEnd(kPatienceMs));
  }
  RawClient partial(address());
  partial.Send("GET /v1/status HTTP/1.1\r\n");
  partial.FinishSending();
  EXPECT_TRUE(partial.ReadsEnd(kPatienceMs));
}

TEST_F(AbuseTest, DripsAreEndedInTime) {
  Start({.limits = {.request_ms = 300}});
  RawClient client(address());
  const auto start = std::chrono::steady_clock::now();
  while (MsSince(start) < kPatienceMs && client.Send("G")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(MsSince(start), kPatienceMs);
  ExpectHealthy();
}

TEST_F(AbuseTest, ClientsThatDoNotReadAreEnded) {
  Start({.limits = {.request_ms = 500, .answer_ms = 500}});
  control_.sessions.sessions.assign(5000, control_.sessions.sessions[0]);
  ExpectStuckAreEnded(25);
}

TEST_F(AbuseTest, AnswersThatNoBufferHoldsAreEnded) {
  Start({.limits = {.answer_ms = 500}});
  control_.sessions.sessions.assign(40'000, control_.sessions.sessions[0]);
  ExpectStuckAreEnded(3);
}

TEST_F(AbuseTest, NonsenseIsNoRequest) {
  Start();
  const uint64_t seed = 7;
  Dice dice(seed);
  for (int i = 0; i < 200; ++i) {
    RawClient client(address());
    std::string bytes;
    const uint64_t size = dice.Below(2000);
    for (uint64_t j = 0; j < size; ++j) bytes += static_cast<char>(dice.Below(256));
    if (dice.Chance(0.3)) bytes = "GET / HTTP/1.1\r\n" + bytes;
    if (dice.Chance(0.3)) bytes += "\r\n\r\n";
    client.SendFor(bytes, 100);
    if (dice.Chance(0.5)) client.FinishSending();
  }
  ExpectHealthy();
  EXPECT_TRUE(control_.calls().empty()) << "seed " << seed;
}

}  // namespace
}  // namespace l4lb
