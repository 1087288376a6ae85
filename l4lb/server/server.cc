// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/server.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "l4lb/server/build_pool.h"
#include "l4lb/server/privileges.h"

namespace l4lb {
namespace {

constexpr int64_t kLogPatienceMs = 2'000;  // For a disk or a pipe that is stuck at the end.
constexpr absl::Duration kQuitLook = absl::Milliseconds(1);
constexpr size_t kPipes = 1024;  // Per worker.
constexpr int kMostTurns = 20;   // That a worker needs to close a socket.

template <typename Items, typename Matches>
auto* FindLast(Items& items, Matches matches) {
  const auto found = std::find_if(items.rbegin(), items.rend(), matches);
  return found == items.rend() ? nullptr : found->get();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Config& config) {
  auto server = std::unique_ptr<Server>(new Server(config));
  absl::Status status = config.user.empty() ? absl::OkStatus() : ForbidNewPrivileges(config.user);
  if (status.ok()) status = server->OpenLogs();
  if (status.ok()) status = server->MakePools();
  if (status.ok()) status = server->Bind();
  // Before any worker is made: capabilities belong to threads, and new ones inherit them.
  if (status.ok() && !config.user.empty()) status = DropPrivileges(config.user);
  if (status.ok()) status = server->DecideEngine();
  if (status.ok()) status = server->StartWorkers();
  if (!status.ok()) return status;
  server->SyncChecks();
  return server;
}

Server::Server(const Config& config)
    : config_(config),
      limits_(LimitsFor(config)),
      start_unix_ms_(absl::ToUnixMillis(absl::Now())),
      places_(limits_.max_connections),
      workers_(WorkersFor(config.workers)) {}

Server::~Server() {
  inbox_.SetWake(nullptr);
  checker_.reset();
  StopListening();
  CloseSessions(CloseReason::shutdown);
  Hurry();
  while (!idle()) absl::SleepFor(kQuitLook);
  workers_.End();
  if (access_log_ == nullptr) return;
  const uint64_t lost = access_log_->Stop(kLogPatienceMs);
  if (lost > 0) LOG(ERROR) << lost << " access log lines were lost";
}

absl::Status Server::OpenLogs() {
  events_ = MakeEventLog();
  if (limits_.clamped) {
    LOG(WARNING) << "max_connections " << config_.max_connections << " needs "
                 << limits_.wanted_files << " file descriptors, the limit is " << limits_.open_files
                 << ": " << limits_.max_connections
                 << " it is (raise the limit: ulimit -n, LimitNOFILE=)";
  }
  if (config_.access_log.path.empty()) return absl::OkStatus();
  AccessLogOptions options;
  options.path = config_.access_log.path;
  options.format = config_.access_log.format == Config::LogFormat::kJson ? AccessLogFormat::kJson
                                                                         : AccessLogFormat::kText;
  options.workers = workers_.size();
  options.events = events_.get();
  absl::StatusOr<std::unique_ptr<AccessLog>> log = OpenAccessLog(options);
  if (!log.ok()) return log.status();
  access_log_ = *std::move(log);
  return absl::OkStatus();
}

absl::Status Server::MakePools() {
  for (const Config::Pool& config : config_.pools) {
    absl::StatusOr<std::unique_ptr<ManagedPool>> pool =
        MakePool(config, ManagedPool::Birth::kAtStart);
    if (!pool.ok()) return pool.status();
    pools_.push_back(*std::move(pool));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ManagedPool>> Server::MakePool(const Config::Pool& config,
                                                              ManagedPool::Birth birth) {
  const uint32_t id = ++last_id_;
  auto pool = ManagedPool::Make(id, config, workers_.size(), birth);
  if (!pool.ok()) return pool;
  (*pool)->pool().SetFailureSink([this, id](uint64_t backend) {
    inbox_.Post(HealthInbox::Failure{.pool = id, .backend = backend});
  });
  return pool;
}

absl::Status Server::Bind() {
  for (const Config::Listener& config : config_.listeners) {
    auto addresses = BindFor(config_, config);
    if (!addresses.ok()) return addresses.status();
    listeners_.push_back(std::make_unique<ManagedListener>(
        ++last_id_, config, FindPool(config.pool)->id(), workers_.size(), nullptr));
    listeners_.back()->SetAddresses(*std::move(addresses));
  }
  return absl::OkStatus();
}

// Those that an open listener has already stay: its own, or one that another gives up, but not one
// of which the kernel chose the port.
absl::StatusOr<std::vector<std::shared_ptr<BoundAddress>>> Server::BindFor(
    const Config& config, const Config::Listener& listener) {
  AwaitClosedSockets();
  std::vector<std::shared_ptr<BoundAddress>> existing;
  for (const auto& other : listeners_) {
    for (const auto& address : other->addresses()) {
      const bool own = other->config().name == listener.name;
      if (own || !absl::EndsWith(address->text, ":0")) existing.push_back(address);
    }
  }
  const auto pool =
      std::find_if(config.pools.begin(), config.pools.end(),
                   [&listener](const Config::Pool& it) { return it.name == listener.pool; });
  CHECK(pool != config.pools.end());
  return BindAll(config, {.listener = listener,
                          .options = ListenOptionsOf(listener, *pool),
                          .workers = workers_.size(),
                          .existing = existing,
                          .last_id = last_id_});
}

// A worker closes a socket some turns after it was told to, when its accept has ended: until then
// the address is taken, by ourselves.
void Server::AwaitClosedSockets() {
  const auto is_closing = [](const auto& listener) {
    const bool stopped = listener->state != ManagedListener::State::kOpen;
    return stopped && listener->told() && !listener->closed();
  };
  const auto any = [&is_closing](const auto& listeners) {
    return std::any_of(listeners.begin(), listeners.end(), is_closing);
  };
  for (int turn = 0; turn < kMostTurns && (any(listeners_) || any(gone_)); ++turn) {
    workers_.AwaitTurn();
  }
}

const SessionNames& Server::NamesOf(const ManagedListener& listener) {
  const ManagedPool& pool = *FindPool(listener.pool_id());
  return names_.Intern(listener.config().name, pool.name(),
                       std::string(Name(PolicyOf(pool.config().policy))));
}

WorkerPlan::Pool Server::PoolPlan(const ManagedPool& pool, int worker) const {
  return {.id = pool.id(), .snapshot = pool.snapshot(), .meters = pool.meters(worker)};
}

WorkerPlan Server::PlanFor(int worker) {
  WorkerPlan plan;
  plan.index = worker;
  plan.seed = std::random_device()();
  for (const auto& pool : pools_) plan.pools.push_back(PoolPlan(*pool, worker));
  for (auto& listener : listeners_) {
    plan.listeners.push_back(listener->PlanFor(worker, NamesOf(*listener)));
  }
  plan.places = &places_;
  plan.crew = &workers_.crew();
  plan.events = events_.get();
  plan.access_log = access_log_.get();
  return plan;
}

// As the user that the workers run as: the kernel may allow io_uring to root alone.
absl::Status Server::DecideEngine() {
  absl::StatusOr<EngineChoice> choice =
      ChooseEngine(config_.engine, kPreferredEngine, UringAvailable);
  if (!choice.ok()) return choice.status();
  if (!choice->warning.empty()) LOG(WARNING) << choice->warning;
  engine_ = *std::move(choice);
  return absl::OkStatus();
}

absl::Status Server::StartWorkers() {
  EngineOptions options;
  options.buffer_bytes = config_.buffers.size;
  options.buffer_count = config_.buffers.count;
  options.pipe_count = kPipes;
  options.max_fd = static_cast<int>(limits_.open_files);
  const auto plan_for = [this](int worker) { return PlanFor(worker); };
  absl::Status status = workers_.Start(engine_.kind, options, plan_for);
  if (!status.ok() && config_.engine == Config::Engine::kAuto &&
      engine_.kind == EngineKind::kUring) {
    engine_ = EpollInstead(status);
    LOG(WARNING) << engine_.warning;
    status = workers_.Start(engine_.kind, options, plan_for);
  }
  for (auto& listener : listeners_) listener->OwnAddresses();
  return status;
}

ManagedPool* Server::FindPool(const std::string& name) {
  return FindLast(pools_, [&name](const auto& pool) { return pool->name() == name; });
}

ManagedPool* Server::FindPool(uint32_t id) {
  const auto matches = [id](const auto& pool) { return pool->id() == id; };
  ManagedPool* const pool = FindLast(pools_, matches);
  return pool != nullptr ? pool : FindLast(removed_pools_, matches);
}

ManagedListener* Server::FindListener(const std::string& name) {
  return FindLast(listeners_,
                  [&name](const auto& listener) { return listener->config().name == name; });
}

ManagedListener* Server::FindGone(const std::string& name) {
  return FindLast(gone_, [&name](const auto& listener) { return listener->config().name == name; });
}

// First all workers have it, then it accepts: who does may hand over.
void Server::Introduce(ManagedListener& listener) {
  for (int worker = 0; worker < workers_.size(); ++worker) {
    workers_.Tell(worker, [plan = listener.PlanFor(worker, NamesOf(listener))](
                              Worker& target) mutable { target.AddListener(std::move(plan)); });
  }
  listener.OwnAddresses();
  workers_.Tell([id = listener.id()](Worker& worker) { worker.OpenListener(id); });
}

absl::Status Server::ReopenLogs() {
  return access_log_ == nullptr ? absl::OkStatus() : access_log_->Reopen();
}

void Server::StopListening() {
  stopped_listening_ = true;
  for (auto& listener : listeners_) listener->Release();  // UNIX: its file, before it is closed.
  workers_.Tell([](Worker& worker) { worker.StopListening(); });
}

void Server::Drain(absl::Duration timeout) { TellDrain({}, timeout, CloseReason::shutdown); }

void Server::CloseSessions(CloseReason reason) {
  workers_.Tell([reason](Worker& worker) { worker.CloseSessions(reason); });
}

void Server::Hurry() {
  workers_.Tell([](Worker& worker) { worker.Hurry(); });
}

}  // namespace l4lb
