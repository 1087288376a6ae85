// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/conformance.h"

#include <dirent.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "glog/logging.h"

namespace l4lb {
namespace {

constexpr std::chrono::seconds kPatience(20);

size_t CountOpenFds() {
  DIR* const directory = ::opendir("/proc/self/fd");
  PCHECK(directory != nullptr);
  size_t count = 0;
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

}  // namespace

void EngineTest::SetUp() {
  fds_before_ = CountOpenFds();
  rig_ = GetParam().make(GetParam().options);
}

void EngineTest::MakeRigOfChild() {
  (void)rig_.release();  // The parent's.
  rig_ = GetParam().make(GetParam().options);
}

void EngineTest::TearDown() {
  for (const auto& [op, track] : ops_) {
    track->then = nullptr;  // It may refer to what was local to the test.
    Cancel(*op);
  }
  const auto at_rest = [this] {
    return std::none_of(ops_.begin(), ops_.end(),
                        [](const auto& it) { return it.first->in_flight; });
  };
  ASSERT_TRUE(RunUntil(at_rest)) << "cancelled ops do not end";
  for (const auto& [op, track] : ops_) EXPECT_EQ(track->ends, track->starts);
  while (!open_fds_.empty()) Close(open_fds_.back());
  Turns(2);
  EXPECT_EQ(engine().stats().buffers_in_use, 0u);
  EXPECT_EQ(engine().stats().pipes_in_use, 0u);
}

EngineTest::~EngineTest() {
  rig_.reset();
  EXPECT_EQ(CountOpenFds(), fds_before_) << "fds leaked";
}

void PrintTo(const EngineCase& engine, std::ostream* out) { *out << engine.name; }

void EngineTest::CheckCallback() {
  EXPECT_TRUE(in_poll_) << "a callback outside Poll()";
  EXPECT_FALSE(in_call_) << "a callback from inside the call that starts or cancels";
}

template <typename OpType>
void EngineTest::OnDone(Tracked<OpType>& op) {
  CheckCallback();
  EXPECT_FALSE(op.in_flight);
  ++op.ends;
  EXPECT_EQ(op.ends, op.starts) << "done() more than once";
  if (op.then) op.then();
}

template <typename TrackedType>
TrackedType& EngineTest::Own() {
  auto op = std::make_shared<TrackedType>();
  TrackedType& reference = *op;
  ops_.emplace_back(op.get(), op.get());
  owned_.push_back(std::move(op));
  return reference;
}

template <typename TrackedType, typename Verb, typename... More>
void EngineTest::StartWith(TrackedType& op, Verb verb, More... more) {
  EXPECT_FALSE(op.in_flight);
  ++op.starts;
  in_call_ = true;
  (engine().*verb)(op, more...);
  in_call_ = false;
  EXPECT_TRUE(op.in_flight);
}

void EngineTest::Start(TrackedAccept& op) { StartWith(op, &Engine::Accept); }
void EngineTest::Start(TrackedConnect& op) { StartWith(op, &Engine::Connect); }
void EngineTest::Start(TrackedPump& op) { StartWith(op, &Engine::Pump, op.prefix); }
void EngineTest::Start(TrackedWatch& op) { StartWith(op, &Engine::Watch); }
void EngineTest::Start(TrackedSend& op) { StartWith(op, &Engine::Send); }
void EngineTest::Start(TrackedRead& op) { StartWith(op, &Engine::Read); }

void EngineTest::Cancel(Op& op) {
  const bool was_in_flight = op.in_flight;
  in_call_ = true;
  engine().Cancel(op);
  in_call_ = false;
  EXPECT_EQ(op.in_flight, was_in_flight);
}

TrackedAccept& EngineTest::NewAccept(int listen_fd) {
  auto& op = Own<TrackedAccept>();
  op.listen_fd = listen_fd;
  op.owner = this;
  op.done = [](Op& base) {
    static_cast<EngineTest*>(base.owner)->OnDone(static_cast<TrackedAccept&>(base));
  };
  op.accepted = [](AcceptOp& base, int fd, const SocketAddress& peer) {
    auto& test = *static_cast<EngineTest*>(base.owner);
    auto& accept = static_cast<TrackedAccept&>(base);
    test.CheckCallback();
    EXPECT_TRUE(accept.in_flight);
    test.Adopt(fd);
    accept.fds.push_back(fd);
    accept.peers.push_back(peer);
    if (accept.on_accepted) accept.on_accepted();
  };
  return op;
}

TrackedConnect& EngineTest::NewConnect(const SocketAddress& peer) {
  auto& op = Own<TrackedConnect>();
  CHECK_LT(addresses_used_, std::size(addresses_));
  op.peer = &(addresses_[addresses_used_++] = peer);
  op.owner = this;
  op.done = [](Op& base) {
    auto& test = *static_cast<EngineTest*>(base.owner);
    auto& connect = static_cast<TrackedConnect&>(base);
    EXPECT_EQ(connect.error == 0, connect.fd >= 0);
    if (connect.fd >= 0) test.Adopt(connect.fd);
    test.OnDone(connect);
  };
  return op;
}

TrackedPump& EngineTest::NewPump(int from, int to) {
  auto& op = Own<TrackedPump>();
  op.from = from;
  op.to = to;
  op.owner = this;
  op.done = [](Op& base) {
    auto& pump = static_cast<TrackedPump&>(base);
    EXPECT_EQ(pump.resets_told, pump.from_was_reset ? 1 : 0);
    EXPECT_LE(pump.bytes, pump.taken);
    static_cast<EngineTest*>(base.owner)->OnDone(pump);
  };
  op.from_reset = [](PumpOp& base) {
    auto& pump = static_cast<TrackedPump&>(base);
    static_cast<EngineTest*>(base.owner)->CheckCallback();
    EXPECT_TRUE(pump.in_flight);
    EXPECT_TRUE(pump.from_was_reset);
    EXPECT_TRUE(pump.holding());
    ++pump.resets_told;
    if (pump.on_reset) pump.on_reset();
  };
  return op;
}

TrackedWatch& EngineTest::NewWatch(int fd) {
  auto& op = Own<TrackedWatch>();
  op.fd = fd;
  op.owner = this;
  op.done = [](Op& base) {
    static_cast<EngineTest*>(base.owner)->OnDone(static_cast<TrackedWatch&>(base));
  };
  return op;
}

TrackedSend& EngineTest::NewSend(int fd, std::string_view data) {
  auto& op = Own<TrackedSend>();
  op.fd = fd;
  op.data = data;
  op.owner = this;
  op.done = [](Op& base) {
    static_cast<EngineTest*>(base.owner)->OnDone(static_cast<TrackedSend&>(base));
  };
  return op;
}

TrackedRead& EngineTest::NewRead(int fd, size_t capacity) {
  auto& op = Own<TrackedRead>();
  buffers_.push_back(std::make_unique<std::string>(capacity, '\0'));
  op.fd = fd;
  op.data = buffers_.back()->data();
  op.capacity = capacity;
  op.owner = this;
  op.done = [](Op& base) {
    static_cast<EngineTest*>(base.owner)->OnDone(static_cast<TrackedRead&>(base));
  };
  return op;
}

NearListener EngineTest::ListenNear() {
  NearListener listener = far_ends().ListenNear();
  Adopt(listener.fd);
  return listener;
}

Connection EngineTest::Connect(const QueueBytes& near, const QueueBytes& far) {
  Connection connection = far_ends().Connect(near, far);
  Adopt(connection.fd);
  return connection;
}

void EngineTest::Close(int fd, CloseKind kind) {
  ASSERT_EQ(std::erase(open_fds_, fd), 1u);
  engine().Close(fd, kind);
}

void EngineTest::Turn(int64_t wake_in_ms) {
  in_poll_ = true;
  engine().Poll(Now() + wake_in_ms);
  in_poll_ = false;
}

void EngineTest::Turns(int count) {
  for (int i = 0; i < count; ++i) Turn();
}

bool EngineTest::RunUntil(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    Turn();
  }
  return true;
}

bool EngineTest::RunUntilEnded(const Track& track) {
  return RunUntil([&track] { return track.ended(); });
}

bool EngineTest::RunUntilUnread(int fd, int64_t bytes) {
  return RunUntil([this, fd, bytes] { return engine().Unread(fd) == bytes; });
}

std::string Pattern(size_t size, uint32_t salt) {
  std::string data(size, '\0');
  uint32_t state = 2463534242u ^ (salt * 2654435761u);
  for (char& byte : data) {
    state ^= state << 13;  // xorshift (Marsaglia 2003)
    state ^= state >> 17;
    state ^= state << 5;
    byte = static_cast<char>(state >> 11);
  }
  return data;
}

std::string Difference(std::string_view got, std::string_view wanted) {
  if (got == wanted) return "";
  const auto [at, other] = std::mismatch(
      got.begin(), got.begin() + static_cast<ptrdiff_t>(std::min(got.size(), wanted.size())),
      wanted.begin());
  return "got " + std::to_string(got.size()) + " bytes, wanted " + std::to_string(wanted.size()) +
         ", equal up to byte " + std::to_string(at - got.begin());
}

bool Feed::Step() {
  if (sent_ < data_.size()) sent_ += peer_.Send(data_.substr(sent_));
  if (sent_ < data_.size()) return false;
  if (finish_ && !std::exchange(finished_, true)) peer_.Finish();
  return true;
}

}  // namespace l4lb
