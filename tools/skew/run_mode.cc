// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/run_mode.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "tools/skew/balancer.h"
#include "tools/skew/clients.h"
#include "tools/skew/direct.h"

namespace l4lb::skew {
namespace {

constexpr int64_t kHeadStartNs = 20 * kit::kNsPerMs;  // For what is still being made.
constexpr int64_t kTickNs = 100 * kit::kNsPerMs;

absl::StatusOr<std::unique_ptr<Middle>> MakeMiddle(const Options& options, Mode mode,
                                                   const std::optional<Layer7Program>& layer7,
                                                   const std::vector<Endpoint>& all) {
  switch (TextOf(mode).kind) {
    case Kind::kClient:
      return std::make_unique<Direct>(all, options.backends);
    case Kind::kLayer7: {
      std::vector<int> in_use(static_cast<size_t>(options.backends));
      std::iota(in_use.begin(), in_use.end(), 0);
      return StartLayer7(layer7.value(), all, in_use);
    }
    case Kind::kLayer4:
      break;
  }
  return Balancer::Start(options, mode, all);
}

/// Adds and removes what is due, in its time.
class Changes {
 public:
  Changes(const Options& options, Mode mode, const Schedule& schedule)
      : per_client_(TextOf(mode).kind == Kind::kClient),
        add_ns_(schedule.SinceAdded().from_ns),
        remove_ns_(schedule.SpanOf(Part::kRemoved).from_ns),
        next_added_(options.backends),
        all_(options.all_backends()),
        removed_(options.removed) {}

  int64_t next_ns() const {
    if (next_added_ < all_) return add_ns_;
    return next_removed_ < removed_ ? remove_ns_ : INT64_MAX;
  }

  absl::Status Do(int64_t now_ns, const Backends& backends, Middle& middle, Clients& clients) {
    for (; now_ns >= add_ns_ && next_added_ < all_; ++next_added_) {
      const absl::Status status = middle.Add(next_added_);
      if (!status.ok()) return status;
      if (per_client_) clients.AddTarget(AddressOf(backends, next_added_));
    }
    for (; now_ns >= remove_ns_ && next_removed_ < removed_; ++next_removed_) {
      if (per_client_) clients.RemoveTarget(AddressOf(backends, next_removed_));
      const absl::Status status = middle.Remove(next_removed_);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  static const SocketAddress& AddressOf(const Backends& backends, int index) {
    return backends.endpoints()[static_cast<size_t>(index)].address;
  }

  const bool per_client_;
  const int64_t add_ns_;
  const int64_t remove_ns_;
  int next_added_;
  const int all_;
  int next_removed_ = 0;
  const int removed_;
};

void SleepUntil(int64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns - kit::NowNs()));
}

}  // namespace

absl::StatusOr<ModeRun> RunMode(const Options& options, Mode mode,
                                const std::optional<Layer7Program>& layer7, const Watcher& watch) {
  absl::StatusOr<std::unique_ptr<Backends>> backends = Backends::Start(options);
  if (!backends.ok()) return backends.status();
  auto middle = MakeMiddle(options, mode, layer7, (*backends)->endpoints());
  if (!middle.ok()) return middle.status();
  ModeRun run = {.mode = mode, .schedule = Schedule(options), .observed = {}, .tally = {}};
  Changes changes(options, mode, run.schedule);
  const int64_t origin_ns = kit::NowNs() + kHeadStartNs;
  (*backends)->Begin(origin_ns);
  Clients clients(options, run.schedule, (*middle)->targets(), origin_ns);
  for (int64_t now_ns = 0; now_ns < run.schedule.end_ns(); now_ns = kit::NowNs() - origin_ns) {
    const absl::Status status = changes.Do(now_ns, **backends, **middle, clients);
    if (!status.ok()) return status;
    (*middle)->Tick();
    if (!watch(now_ns, **backends)) {
      run.interrupted = true;
      run.schedule.EndAt(now_ns);
      break;
    }
    const int64_t tick_ns = std::min(now_ns + kTickNs, changes.next_ns());
    SleepUntil(origin_ns + std::min(tick_ns, run.schedule.end_ns()));
  }
  run.tally = clients.Finish();
  run.about = (*middle)->about();
  middle->reset();
  run.observed = (*backends)->Stop();
  return run;
}

}  // namespace l4lb::skew
