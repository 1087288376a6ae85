// SPDX-License-Identifier: Apache-2.0
//
// The engines that the conformance suite runs over.  A new one joins here.
#include "glog/logging.h"
#include "tests/engine/conformance.h"
#include "tests/support/fake_engine.h"
#include "tests/support/memory_peer.h"
#include "tests/support/socket_peer.h"

namespace l4lb {
namespace {

class SocketRig final : public EngineRig {
 public:
  explicit SocketRig(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
  Engine& engine() override { return *engine_; }
  FarEnds& far_ends() override { return far_ends_; }
  const Clock& clock() override { return Clock::Real(); }

 private:
  std::unique_ptr<Engine> engine_;
  SocketFarEnds far_ends_;
};

class MemoryRig final : public EngineRig {
 public:
  MemoryRig(const FakeEngineOptions& options, const WireFaults& faults)
      : engine_(network_, options) {
    network_.faults = faults;
  }
  Engine& engine() override { return engine_; }
  FarEnds& far_ends() override { return far_ends_; }
  const Clock& clock() override { return clock_; }

 private:
  ManualClock clock_;
  Dice dice_{20240229};
  FakeNetwork network_{clock_, dice_};
  FakeEngine engine_;
  MemoryFarEnds far_ends_{engine_};
};

std::unique_ptr<EngineRig> MakeEpoll(const EngineOptions& options) {
  auto engine = MakeEpollEngine(options);
  CHECK(engine.ok()) << engine.status();
  return std::make_unique<SocketRig>(*std::move(engine));
}

std::unique_ptr<EngineRig> MakeUring(const EngineOptions& options) {
  auto engine = MakeUringEngine(options);
  CHECK(engine.ok()) << engine.status();
  return std::make_unique<SocketRig>(*std::move(engine));
}

FakeEngineOptions Buffers(const EngineOptions& options) {
  return {.buffer_bytes = options.buffer_bytes, .buffer_count = options.buffer_count};
}

std::unique_ptr<EngineRig> MakeFake(const EngineOptions& options) {
  return std::make_unique<MemoryRig>(Buffers(options), WireFaults{});
}

// All that the contract allows an engine to do to its user.
std::unique_ptr<EngineRig> MakeUnfriendly(const EngineOptions& options) {
  FakeEngineOptions unfriendly = Buffers(options);
  unfriendly.faults = {
      .partial = 0.2, .stall = 0.2, .late = 0.3, .connect_slow = 0.3, .shuffle = true};
  return std::make_unique<MemoryRig>(unfriendly, WireFaults{.delay = 0.2, .max_delay_ms = 30});
}

}  // namespace

std::vector<EngineCase> AllEngines() {
  constexpr EngineOptions kDefaults;
  constexpr EngineOptions kNoSplice{.pipe_count = 0};
  constexpr EngineOptions kOldKernel{.uring_basics_only = true};
  constexpr EngineOptions kTiny{.buffer_bytes = 4096, .buffer_count = 2, .pipe_count = 0};
  std::vector<EngineCase> engines = {
      {"Epoll", MakeEpoll, kDefaults, true}, {"EpollCopying", MakeEpoll, kNoSplice},
      {"EpollTiny", MakeEpoll, kTiny},       {"Fake", MakeFake, kDefaults},
      {"FakeTiny", MakeFake, kTiny},         {"FakeUnfriendly", MakeUnfriendly, kDefaults},
  };
  if (const absl::Status status = UringAvailable(); !status.ok()) {
    LOG(WARNING) << "not over io_uring: " << status;
    return engines;
  }
  engines.push_back({"Uring", MakeUring, kDefaults, true});
  engines.push_back({"UringCopying", MakeUring, kNoSplice});
  engines.push_back({"UringTiny", MakeUring, kTiny});
  engines.push_back({"UringOldKernel", MakeUring, kOldKernel, true});
  return engines;
}

}  // namespace l4lb
