// SPDX-License-Identifier: Apache-2.0
//
// A client and its HTTP/2 connections, against a backend that the test plays.
#include "tools/skew/client.h"

#include <sys/socket.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "l4lb/net/listen.h"
#include "tests/support/addresses.h"

namespace l4lb::skew {
namespace {

/// The other end of one connection.
class Played final : public Http2Connection {
 public:
  explicit Played(UniqueFd fd) : Http2Connection(std::move(fd), Role::kServer) {}

  std::vector<int32_t> asked;
  bool ended = false;

 private:
  void OnRequest(int32_t stream) final { asked.push_back(stream); }
  void OnClosed() final { ended = true; }
};

class ClientTest : public testing::Test, public ClientHost {
 protected:
  ClientTest() : client_(*this, 0, Parsed("127.0.0.1:0"), ExponentialTimes(1, 1, 1e6)) {}

  kit::EventLoop& loop() final { return loop_; }
  ClientTally& tally() final { return tally_; }
  Histogram& LatenciesOf(int64_t) final { return tally_.latency_ns[0]; }
  void DialAt(int64_t, int, int link) final { to_dial_.push_back(link); }
  void Bury(std::unique_ptr<ClientConnection> connection) final {
    buried_.push_back(std::move(connection));
  }

  SocketAddress Listening() {
    listeners_.push_back(*Listen(Parsed("127.0.0.1:0"), {}));
    return LocalAddress(listeners_.back().get());
  }

  // Dials what is to be dialed, and lets things happen until `holds`.
  bool Until(const std::function<bool()>& holds) {
    const int64_t deadline_ns = kit::NowNs() + 5 * kit::kNsPerSecond;
    while (!holds()) {
      if (kit::NowNs() > deadline_ns) return false;
      for (const int link : std::exchange(to_dial_, {})) client_.Dial(link);
      for (const UniqueFd& listener : listeners_) Accept(listener.get());
      loop_.Turn(kit::NowNs() + kit::kNsPerMs);
      for (const auto& peer : peers_) peer->Flush();
    }
    return true;
  }

  void Accept(int listener) {
    UniqueFd fd(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) return;
    peers_.push_back(std::make_unique<Played>(std::move(fd)));
    ASSERT_EQ(peers_.back()->Start(loop_), 0);
  }

  void Ask() { client_.Ask({.scheduled_ns = kit::NowNs()}); }

  kit::EventLoop loop_;
  ClientTally tally_;
  std::vector<int> to_dial_;
  std::vector<UniqueFd> listeners_;
  std::vector<std::unique_ptr<Played>> peers_;
  std::vector<std::unique_ptr<ClientConnection>> buried_;
  Client client_;
};

TEST_F(ClientTest, WhatIsAskedBeforeTheConnectionIsThereIsSentThen) {
  client_.AddTarget(Listening(), 0);
  Ask();
  Ask();
  ASSERT_TRUE(Until([&] { return peers_.size() == 1 && peers_[0]->asked.size() == 2; }));
  EXPECT_EQ(client_.unanswered(), 2u);
  for (const int32_t stream : peers_[0]->asked) peers_[0]->Answer(stream, "a");
  ASSERT_TRUE(Until([&] { return client_.unanswered() == 0; }));
  EXPECT_EQ(tally_.answered, 2u);
  EXPECT_EQ(tally_.latency_ns[0].count(), 2u);
  EXPECT_EQ(tally_.cut, 0u);
}

TEST_F(ClientTest, WhatACutConnectionLeftUnansweredIsAskedAgain) {
  client_.AddTarget(Listening(), 0);
  Ask();
  Ask();
  ASSERT_TRUE(Until([&] { return !peers_.empty() && peers_[0]->asked.size() == 2; }));
  peers_[0]->Answer(peers_[0]->asked[0], "a");
  ASSERT_TRUE(Until([&] { return tally_.answered == 1; }));
  peers_[0].reset();
  peers_.clear();
  ASSERT_TRUE(Until([&] { return !peers_.empty() && peers_[0]->asked.size() == 1; }));
  EXPECT_EQ(tally_.cut, 1u);
  EXPECT_EQ(tally_.retries, 1u);
  peers_[0]->Answer(peers_[0]->asked[0], "b");
  ASSERT_TRUE(Until([&] { return tally_.answered == 2; }));
  EXPECT_EQ(tally_.errors, 0u);
  EXPECT_EQ(client_.unanswered(), 0u);
}

TEST_F(ClientTest, GivesUpAfterThreeRetries) {
  client_.AddTarget(Listening(), 0);
  Ask();
  for (int cut = 0; cut <= Client::kMostRetries; ++cut) {
    ASSERT_TRUE(Until([&] { return !peers_.empty() && peers_[0]->asked.size() == 1; })) << cut;
    peers_.clear();
    ASSERT_TRUE(Until([&] { return tally_.cut == static_cast<uint64_t>(cut) + 1; }));
  }
  EXPECT_EQ(tally_.retries, 3u);
  EXPECT_EQ(tally_.errors, 1u);
  EXPECT_EQ(client_.unanswered(), 0u);
}

TEST_F(ClientTest, TakesItsTargetsInTurn) {
  client_.AddTarget(Listening(), 0);
  client_.AddTarget(Listening(), 0);
  ASSERT_TRUE(Until([&] { return peers_.size() == 2; }));
  Ask();  // Sees to it that both are open.
  Ask();
  ASSERT_TRUE(Until([&] { return peers_[0]->asked.size() + peers_[1]->asked.size() == 2; }));
  const size_t first = peers_[0]->asked.size();
  for (int i = 0; i < 10; ++i) Ask();
  ASSERT_TRUE(Until([&] { return peers_[0]->asked.size() + peers_[1]->asked.size() == 12; }));
  EXPECT_EQ(peers_[0]->asked.size(), first + 5);
}

TEST_F(ClientTest, LeavesATargetWhenEverythingIsAnswered) {
  const SocketAddress gone = Listening();
  client_.AddTarget(gone, 0);
  Ask();
  ASSERT_TRUE(Until([&] { return peers_.size() == 1 && peers_[0]->asked.size() == 1; }));
  client_.RemoveTarget(gone);
  client_.AddTarget(Listening(), 0);
  Ask();
  ASSERT_TRUE(Until([&] { return peers_.size() == 2 && peers_[1]->asked.size() == 1; }));
  EXPECT_FALSE(peers_[0]->ended);
  peers_[0]->Answer(peers_[0]->asked[0], "a");
  ASSERT_TRUE(Until([&] { return tally_.answered == 1; }));
  buried_.clear();
  ASSERT_TRUE(Until([&] { return peers_[0]->ended; }));
  EXPECT_EQ(tally_.cut, 0u);
  EXPECT_EQ(tally_.retries, 0u);
}

TEST_F(ClientTest, AConnectionThatIsRefusedIsNotACut) {
  const SocketAddress nobody = Listening();
  listeners_.clear();
  client_.AddTarget(nobody, 0);
  Ask();
  int dials = 0;
  ASSERT_TRUE(Until([&] { return (dials += static_cast<int>(to_dial_.size())) > 2; }));
  EXPECT_EQ(tally_.cut, 0u);
  EXPECT_EQ(tally_.retries, 0u);
  EXPECT_EQ(client_.unanswered(), 1u);
}

}  // namespace
}  // namespace l4lb::skew
