// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "l4lb/net/unique_fd.h"
#include "tests/engine/conformance.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

class ConnectTest : public EngineTest {
 protected:
  bool RunUntilArrived() {
    return RunUntil([this] {
      if (arrived_ == nullptr) arrived_ = backend_->Accept();
      return arrived_ != nullptr;
    });
  }
  void ExpectWorks(FarEnds::Family family) {
    backend_ = far_ends().ListenFar(family);
    TrackedConnect& connect = NewConnect(backend_->address());
    Start(connect);
    ASSERT_TRUE(RunUntilEnded(connect));
    ASSERT_EQ(connect.error, 0);
    ASSERT_TRUE(RunUntilArrived());
    ExpectTalks(connect.fd);
  }
  void ExpectTalks(int fd) {
    TrackedSend& send = NewSend(fd, "question");
    Start(send);
    std::string got;
    ASSERT_TRUE(RunUntil([&] { return (got += arrived_->Receive()) == "question"; }));
    ASSERT_TRUE(RunUntilEnded(send));
    TrackedRead& read = NewRead(fd, 1);
    arrived_->Send("!");
    Start(read);
    ASSERT_TRUE(RunUntilEnded(read));
    EXPECT_EQ(read.data[0], '!');
  }

  std::unique_ptr<PeerListener> backend_;
  std::unique_ptr<Peer> arrived_;
};

TEST_P(ConnectTest, Ipv4) { ExpectWorks(FarEnds::Family::kIpv4); }

TEST_P(ConnectTest, Ipv6) {
  if (!far_ends().Has(FarEnds::Family::kIpv6)) GTEST_SKIP() << "no IPv6 here";
  ExpectWorks(FarEnds::Family::kIpv6);
}

TEST_P(ConnectTest, Unix) {
  if (!far_ends().Has(FarEnds::Family::kUnix)) GTEST_SKIP() << "no UNIX sockets here";
  ExpectWorks(FarEnds::Family::kUnix);
}

// Two connections to one backend, from one address that is not the kernel's choice.
TEST_P(ConnectTest, FromASource) {
  backend_ = far_ends().ListenFar(FarEnds::Family::kIpv4);
  const SocketAddress source = Parsed("127.0.0.9:0");
  for (int i = 0; i < 2; ++i) {
    TrackedConnect& connect = NewConnect(backend_->address());
    connect.source = &source;
    Start(connect);
    ASSERT_TRUE(RunUntilEnded(connect));
    ASSERT_EQ(connect.error, 0);
    arrived_.reset();
    ASSERT_TRUE(RunUntilArrived());
    SocketAddress seen = arrived_->remote_address();
    EXPECT_NE(seen.port(), 0);
    seen.set_port(0);
    EXPECT_EQ(seen, source) << seen.ToString();
    ExpectTalks(connect.fd);
  }
}

TEST_P(ConnectTest, FromASourceThatIsNotOurs) {
  if (!far_ends().real()) GTEST_SKIP() << "every address is ours";
  backend_ = far_ends().ListenFar(FarEnds::Family::kIpv4);
  const SocketAddress source = Parsed("192.0.2.1:0");
  TrackedConnect& connect = NewConnect(backend_->address());
  connect.source = &source;
  Start(connect);
  ASSERT_TRUE(RunUntilEnded(connect));
  EXPECT_EQ(connect.error, EADDRNOTAVAIL);
}

TEST_P(ConnectTest, UnixBacklogFull) {
  if (!far_ends().Has(FarEnds::Family::kUnix)) GTEST_SKIP() << "no UNIX sockets here";
  backend_ = far_ends().ListenFar(FarEnds::Family::kUnix);
  const SocketAddress& address = backend_->address();
  std::vector<UniqueFd> others;  // They fill the backlog.
  do {
    others.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  } while (::connect(others.back().get(), address.get(), address.size()) == 0);
  ASSERT_EQ(errno, EAGAIN);
  TrackedConnect& connect = NewConnect(address);
  Start(connect);
  ASSERT_TRUE(RunUntilEnded(connect));
  EXPECT_EQ(connect.error, EAGAIN);
  ASSERT_TRUE(RunUntilArrived());  // Makes room.
  Start(connect);
  ASSERT_TRUE(RunUntilEnded(connect));
  EXPECT_EQ(connect.error, 0);
}

// It hangs up at once, which for TCP would mean that it was reset.
TEST_P(ConnectTest, UnixPeerThatClosesHasFinished) {
  if (!far_ends().Has(FarEnds::Family::kUnix)) GTEST_SKIP() << "no UNIX sockets here";
  backend_ = far_ends().ListenFar(FarEnds::Family::kUnix);
  TrackedConnect& connect = NewConnect(backend_->address());
  Start(connect);
  ASSERT_TRUE(RunUntilEnded(connect));
  ASSERT_TRUE(RunUntilArrived());
  TrackedWatch& watch = NewWatch(connect.fd);
  Start(watch);
  arrived_->Send("the last words");
  arrived_->Close();
  Turns(5);
  EXPECT_EQ(watch.ends, 0);
  Cancel(watch);
  ASSERT_TRUE(RunUntilEnded(watch));

  const Connection client = Connect();
  TrackedPump& there = NewPump(client.fd, connect.fd);
  TrackedPump& back = NewPump(connect.fd, client.fd);
  Start(there);
  Start(back);
  ASSERT_TRUE(RunUntilEnded(back));
  EXPECT_EQ(back.error, 0);
  std::string got;
  EXPECT_TRUE(RunUntil([&] { return (got += client.peer->Receive()) == "the last words"; }));
  EXPECT_EQ(there.ends, 0) << "nothing was to be delivered";
  client.peer->Send("too late");
  ASSERT_TRUE(RunUntilEnded(there));
  EXPECT_EQ(there.error, EPIPE);
  EXPECT_EQ(there.failed, PumpOp::End::kTo);
}

TEST_P(ConnectTest, Refused) {
  TrackedConnect& connect = NewConnect(far_ends().RefusedAddress());
  Start(connect);
  ASSERT_TRUE(RunUntilEnded(connect));
  EXPECT_EQ(connect.error, ECONNREFUSED);
}

TEST_P(ConnectTest, NoSuchUnixPath) {
  if (!far_ends().Has(FarEnds::Family::kUnix)) GTEST_SKIP() << "no UNIX sockets here";
  SocketAddress nowhere;
  std::string error;
  ASSERT_TRUE(SocketAddress::Parse("unix:/tmp/l4lb-no-such-socket", &nowhere, &error)) << error;
  TrackedConnect& connect = NewConnect(nowhere);
  Start(connect);
  ASSERT_TRUE(RunUntilEnded(connect));
  EXPECT_EQ(connect.error, ENOENT);
}

TEST_P(ConnectTest, SilenceCanBeCancelled) {
  TrackedConnect& connect = NewConnect(far_ends().SilentAddress());
  Start(connect);
  Turns(10);
  EXPECT_EQ(connect.ends, 0);
  Cancel(connect);
  Cancel(connect);
  ASSERT_TRUE(RunUntilEnded(connect));
  EXPECT_EQ(connect.error, ECANCELED);
}

// Either it was too late or not; the fixture checks that the fd tells which.
TEST_P(ConnectTest, CancelRacesWithSuccess) {
  backend_ = far_ends().ListenFar(FarEnds::Family::kIpv4);
  for (int turns = 0; turns < 4; ++turns) {
    TrackedConnect& connect = NewConnect(backend_->address());
    Start(connect);
    Turns(turns);
    Cancel(connect);
    ASSERT_TRUE(RunUntilEnded(connect));
    EXPECT_TRUE(connect.error == 0 || connect.error == ECANCELED) << connect.error;
  }
}

TEST_P(ConnectTest, NextAddressFromDone) {
  backend_ = far_ends().ListenFar(FarEnds::Family::kIpv4);
  TrackedConnect& connect = NewConnect(far_ends().RefusedAddress());
  connect.then = [&] {
    if (connect.ends > 1) return;
    EXPECT_EQ(connect.error, ECONNREFUSED);
    connect.peer = &backend_->address();
    Start(connect);
  };
  Start(connect);
  ASSERT_TRUE(RunUntil([&] { return connect.ends == 2; }));
  EXPECT_EQ(connect.error, 0);
  ASSERT_TRUE(RunUntilArrived());
  ExpectTalks(connect.fd);
}

TEST_P(ConnectTest, BannerAndFinAlreadyThere) {
  backend_ = far_ends().ListenFar(FarEnds::Family::kIpv4);
  const Connection client = Connect();
  TrackedConnect& connect = NewConnect(backend_->address());
  Start(connect);
  ASSERT_TRUE(RunUntilArrived());
  arrived_->Send("220 hello\r\n");
  arrived_->Finish();
  ASSERT_TRUE(RunUntilEnded(connect));
  ASSERT_EQ(connect.error, 0);
  ASSERT_TRUE(RunUntilUnread(connect.fd, 11));
  TrackedPump& pump = NewPump(connect.fd, client.fd);
  Start(pump);
  ASSERT_TRUE(RunUntilEnded(pump));
  EXPECT_EQ(pump.error, 0);
  std::string got;
  EXPECT_TRUE(RunUntil([&] { return (got += client.peer->Receive()) == "220 hello\r\n"; }));
}

TEST_P(ConnectTest, OutOfFds) {
  backend_ = far_ends().ListenFar(FarEnds::Family::kIpv4);
  TrackedConnect& connect = NewConnect(backend_->address());
  {
    const auto shortage = far_ends().TakeAllFds();
    Start(connect);
    ASSERT_TRUE(RunUntilEnded(connect));
  }
  EXPECT_EQ(connect.error, EMFILE);
}

TEST_P(ConnectTest, PumpsBeginFromDone) {
  backend_ = far_ends().ListenFar(FarEnds::Family::kIpv4);
  const Connection client = Connect();
  client.peer->Send("early data");
  TrackedPump& pump = NewPump(client.fd, -1);
  TrackedConnect& connect = NewConnect(backend_->address());
  connect.then = [&] {
    pump.to = connect.fd;
    Start(pump);
  };
  Start(connect);
  ASSERT_TRUE(RunUntilArrived());
  std::string got;
  EXPECT_TRUE(RunUntil([&] { return (got += arrived_->Receive()) == "early data"; }));
}

int Option(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(fd, level, name, &value, &size), 0);
  return value;
}

TEST_P(ConnectTest, SocketOptions) {
  if (!far_ends().real()) GTEST_SKIP() << "no such options in memory";
  backend_ = far_ends().ListenFar(FarEnds::Family::kIpv4);
  const KeepaliveSeconds keepalive{.idle_s = 31, .interval_s = 7, .count = 5};
  TrackedConnect& connect = NewConnect(backend_->address());
  Start(connect);
  ASSERT_TRUE(RunUntilEnded(connect));
  ASSERT_EQ(connect.error, 0);
  EXPECT_NE(::fcntl(connect.fd, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(connect.fd, F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(Option(connect.fd, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(Option(connect.fd, SOL_SOCKET, SO_OOBINLINE), 1);
  engine().SetKeepalive(connect.fd, keepalive);
  EXPECT_EQ(Option(connect.fd, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(Option(connect.fd, IPPROTO_TCP, TCP_KEEPIDLE), 31);
  EXPECT_EQ(Option(connect.fd, IPPROTO_TCP, TCP_KEEPINTVL), 7);
  EXPECT_EQ(Option(connect.fd, IPPROTO_TCP, TCP_KEEPCNT), 5);
}

L4LB_FOR_EVERY_ENGINE(ConnectTest);

}  // namespace
}  // namespace l4lb
