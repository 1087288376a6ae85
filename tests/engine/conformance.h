// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite of the seam (l4lb/engine/engine.h): one fixture, run over every engine.  It
// counts what each op was promised (done() once, only from inside Poll(), never from inside the
// call that starts or cancels) and that a test leaves no op, fd, buffer or pipe behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "l4lb/engine/engine.h"
#include "l4lb/engine/make_engine.h"
#include "l4lb/net/clock.h"
#include "tests/support/peer.h"

namespace l4lb {

/// An engine and the world around it.
class EngineRig {
 public:
  virtual ~EngineRig() = default;
  virtual Engine& engine() = 0;
  virtual FarEnds& far_ends() = 0;
  virtual const Clock& clock() = 0;
};

struct EngineCase {
  const char* name;
  std::unique_ptr<EngineRig> (*make)(const EngineOptions& options);
  EngineOptions options;
  bool splices = false;
};

std::vector<EngineCase> AllEngines();

// What a test knows of one op.
struct Track {
  int starts = 0;
  int ends = 0;
  std::function<void()> then;  // From inside done().

  bool ended() const { return starts > 0 && starts == ends; }
};

template <typename OpType>
struct Tracked : OpType, Track {};

struct TrackedAccept : Tracked<AcceptOp> {
  std::vector<int> fds;
  std::vector<SocketAddress> peers;
  std::function<void()> on_accepted;
};

struct TrackedPump : Tracked<PumpOp> {
  std::string_view prefix;
  int resets_told = 0;
  std::function<void()> on_reset;
};

using TrackedConnect = Tracked<ConnectOp>;
using TrackedWatch = Tracked<WatchOp>;
using TrackedSend = Tracked<SendOp>;
using TrackedRead = Tracked<ReadOp>;

void PrintTo(const EngineCase& engine, std::ostream* out);

class EngineTest : public ::testing::TestWithParam<EngineCase> {
 protected:
  ~EngineTest() override;  // After the members of the test: what they hold is given back.
  void SetUp() override;
  void TearDown() override;

  /// A new engine and world for a child process: some cannot be used by two.
  void MakeRigOfChild();
  Engine& engine() { return rig_->engine(); }
  FarEnds& far_ends() { return rig_->far_ends(); }
  int64_t Now() { return rig_->clock().NowMs(); }

  // Ops, owned by the fixture.
  TrackedAccept& NewAccept(int listen_fd);
  TrackedConnect& NewConnect(const SocketAddress& peer);
  TrackedPump& NewPump(int from, int to);
  TrackedWatch& NewWatch(int fd);
  TrackedSend& NewSend(int fd, std::string_view data);
  TrackedRead& NewRead(int fd, size_t capacity);  // Into a buffer of the fixture's.

  void Start(TrackedAccept& op);
  void Start(TrackedConnect& op);
  void Start(TrackedPump& op);
  void Start(TrackedWatch& op);
  void Start(TrackedSend& op);
  void Start(TrackedRead& op);
  void Cancel(Op& op);

  // Fds; what a test leaves open is closed at its end.
  NearListener ListenNear();
  Connection Connect(const QueueBytes& near = {}, const QueueBytes& far = {});
  void Adopt(int fd) { open_fds_.push_back(fd); }
  void Close(int fd, CloseKind kind = CloseKind::kFin);

  void Turn(int64_t wake_in_ms = 5);
  void Turns(int count);
  /// Turns until `condition` holds or the test's patience is at its end.  Returns the condition.
  bool RunUntil(const std::function<bool()>& condition);
  bool RunUntilEnded(const Track& track);
  /// What is sent is also there.
  bool RunUntilUnread(int fd, int64_t bytes);

 private:
  template <typename TrackedType>
  TrackedType& Own();
  template <typename OpType>
  void OnDone(Tracked<OpType>& op);
  template <typename TrackedType, typename Verb, typename... More>
  void StartWith(TrackedType& op, Verb verb, More... more);
  void CheckCallback();

  std::unique_ptr<EngineRig> rig_;
  std::vector<std::shared_ptr<void>> owned_;
  std::vector<std::pair<Op*, Track*>> ops_;
  std::vector<std::unique_ptr<std::string>> buffers_;
  std::vector<int> open_fds_;
  SocketAddress addresses_[16];
  size_t addresses_used_ = 0;
  size_t fds_before_ = 0;
  bool in_poll_ = false;
  bool in_call_ = false;
};

#define L4LB_FOR_EVERY_ENGINE(Suite)                                          \
  INSTANTIATE_TEST_SUITE_P(Engines, Suite, ::testing::ValuesIn(AllEngines()), \
                           [](const auto& info) { return std::string(info.param.name); })

/// `size` bytes without a period that a lost or doubled block could hide behind.
std::string Pattern(size_t size, uint32_t salt = 0);
/// Empty when equal, else where they first differ.
std::string Difference(std::string_view got, std::string_view wanted);

/// Data on its way into a peer: Step() sends what fits.
class Feed {
 public:
  Feed(Peer& peer, std::string_view data, bool finish)
      : peer_(peer), data_(data), finish_(finish) {}
  bool Step();  // Whether all is sent.
  size_t sent() const { return sent_; }

 private:
  Peer& peer_;
  const std::string_view data_;
  const bool finish_;
  size_t sent_ = 0;
  bool finished_ = false;
};

}  // namespace l4lb
