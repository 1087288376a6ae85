// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/tcp_trial.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tools/kit/event_loop.h"
#include "tools/lab/tcp_backends.h"

namespace l4lb::lab {
namespace {

constexpr int64_t kLeadNs = 100 * kit::kNsPerMs;  // Until all threads are ready.
constexpr absl::Duration kLook = absl::Milliseconds(10);
constexpr int kLooksPerTick = 10;
constexpr uint64_t kMostLateNs = 20 * kit::kNsPerMs;

class Stage {
 public:
  explicit Stage(const Trial& trial) : trial_(trial) {}

  absl::Status SetUp();
  absl::StatusOr<TrialOutcome> Run(const std::function<bool()>& go_on);

 private:
  absl::Status LookAtTime(int64_t now_ns);
  absl::Status Join();

  const Trial& trial_;
  std::unique_ptr<TcpBackends> backends_;
  std::vector<std::unique_ptr<TcpBalancer>> balancers_;
  int64_t join_ns_ = 0;
  int64_t slow_from_ns_ = 0;
  int64_t slow_until_ns_ = 0;
  bool joined_ = false;
};

absl::Status Stage::SetUp() {
  auto backends = TcpBackends::Start(trial_.world);
  if (!backends.ok()) return backends.status();
  backends_ = *std::move(backends);
  const std::string text =
      TcpBalancer::ConfigText(trial_.world, trial_.setup, backends_->addresses());
  for (int i = 0; i < trial_.world.balancers; ++i) {
    auto balancer = TcpBalancer::Start(text);
    if (!balancer.ok()) return balancer.status();
    balancers_.push_back(*std::move(balancer));
  }
  return absl::OkStatus();
}

absl::Status Stage::Join() {
  joined_ = true;
  for (int i = trial_.world.backends; i < trial_.world.all_backends(); ++i) {
    for (const auto& balancer : balancers_) {
      const absl::Status added =
          balancer->Add(trial_.world, i, backends_->addresses()[static_cast<size_t>(i)]);
      if (!added.ok()) return added;
    }
  }
  return absl::OkStatus();
}

absl::Status Stage::LookAtTime(int64_t now_ns) {
  backends_->SetDatabaseSlow(now_ns >= slow_from_ns_ && now_ns < slow_until_ns_);
  return !joined_ && now_ns >= join_ns_ ? Join() : absl::OkStatus();
}

absl::StatusOr<TrialOutcome> Stage::Run(const std::function<bool()>& go_on) {
  const World& world = trial_.world;
  const int64_t begin_ns = kit::NowNs() + kLeadNs;
  const int64_t measure_ns = begin_ns + world.warmup_ms * kit::kNsPerMs;
  const auto part_ns = [&](double part) {
    return measure_ns +
           static_cast<int64_t>(part * static_cast<double>(world.duration_ms)) * kit::kNsPerMs;
  };
  join_ns_ = measure_ns + world.join_ms * kit::kNsPerMs;
  slow_from_ns_ = part_ns(kDatabaseSlowFrom);
  slow_until_ns_ = part_ns(kDatabaseSlowUntil);
  std::vector<SocketAddress> targets;
  for (const auto& balancer : balancers_) targets.push_back(balancer->address());
  TrialOutcome outcome = {.engine = balancers_.front()->engine()};
  std::atomic<bool> stop = false;
  std::atomic<bool> over = false;
  std::thread clients([&] {
    outcome.seen = TcpClients(world, trial_.seed, targets).Run(begin_ns, stop);
    over = true;
  });
  absl::Status status;
  for (int looks = 0; !over; ++looks) {
    absl::SleepFor(kLook);
    if (stop) continue;
    status = LookAtTime(kit::NowNs());
    stop = !status.ok();
    if (stop || looks % kLooksPerTick != 0) continue;
    for (const auto& balancer : balancers_) balancer->Tick();
    if (!go_on()) status = absl::CancelledError("stopped");
    stop = !status.ok();
  }
  clients.join();
  if (!status.ok()) return status;
  outcome.timer_error_ns = backends_->Stop();
  return outcome;
}

}  // namespace

bool TrialOutcome::disturbed() const {
  constexpr double kShare = 0.99;
  return seen.late_ns.Quantile(kShare) > kMostLateNs ||
         timer_error_ns.Quantile(kShare) > kMostLateNs;
}

absl::StatusOr<TrialOutcome> RunTrial(const Trial& trial, const std::function<bool()>& go_on) {
  Stage stage(trial);
  const absl::Status ready = stage.SetUp();
  return ready.ok() ? stage.Run(go_on) : ready;
}

}  // namespace l4lb::lab
