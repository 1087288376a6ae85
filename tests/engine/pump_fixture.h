// SPDX-License-Identifier: Apache-2.0
//
// What the conformance tests of pumps share: streams, each with a peer that writes, a pump and a
// peer that reads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tests/engine/conformance.h"

namespace l4lb {

/// More than a stream of small queues takes without a reader, pipes included.
inline const std::string& PlentyOfData() {
  static const std::string data = Pattern(6 << 20);
  return data;
}

/// Queues so small that few bytes block a pump.
inline constexpr int kSmallQueue = 16 << 10;

struct Stream {
  Connection from;
  Connection to;
  TrackedPump* pump = nullptr;
  std::string got;

  void Receive(size_t limit = SIZE_MAX) { got += to.peer->Receive(limit); }
};

class PumpTestBase : public EngineTest {
 protected:
  Stream NewStream(const QueueBytes& queues = {}) {
    Stream stream{.from = Connect(queues, queues), .to = Connect(queues, queues)};
    stream.pump = &NewPump(stream.from.fd, stream.to.fd);
    return stream;
  }
  Stream NewSmallStream() { return NewStream({.send = kSmallQueue, .receive = kSmallQueue}); }

  /// Sends `data`, reads at the other side, until the pump has ended and all is there.
  void Transfer(Stream& stream, std::string_view data, size_t read_limit = SIZE_MAX) {
    Feed feed(*stream.from.peer, data, /*finish=*/true);
    EXPECT_TRUE(RunUntil([&] {
      feed.Step();
      stream.Receive(read_limit);
      return stream.pump->ended() && stream.got.size() >= stream.pump->bytes;
    }));
    EXPECT_EQ(stream.pump->error, 0);
    EXPECT_EQ(stream.pump->failed, PumpOp::End::kNone);
  }

  /// Feeds until the whole way is full.  Returns how many bytes went in.
  size_t Stall(Stream& stream, std::string_view data, int64_t quiet_ms = 40) {
    Feed feed(*stream.from.peer, data, /*finish=*/false);
    uint64_t moved = 0;
    int64_t moved_at = Now();
    EXPECT_TRUE(RunUntil([&] {
      feed.Step();
      const uint64_t moved_now = feed.sent() + stream.pump->taken + stream.pump->bytes;
      if (std::exchange(moved, moved_now) != moved_now) moved_at = Now();
      return stream.pump->holding() && Now() - moved_at >= quiet_ms;
    }));
    EXPECT_LT(feed.sent(), data.size()) << "not enough data to stall";
    EXPECT_TRUE(stream.pump->in_flight);
    return feed.sent();
  }

  /// Reads until the pump has ended and all that it delivered is there.
  void Drain(Stream& stream) {
    EXPECT_TRUE(RunUntil([&] {
      stream.Receive();
      return stream.pump->ended() && stream.got.size() >= stream.pump->bytes;
    }));
  }

  bool RunUntilGot(Stream& stream, size_t size) {
    return RunUntil([&stream, size] {
      stream.Receive();
      return stream.got.size() >= size;
    });
  }
};

}  // namespace l4lb
