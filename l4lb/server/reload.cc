// SPDX-License-Identifier: Apache-2.0
//
// Taking over a configuration: all of it is prepared, then all of it is made.
#include <algorithm>
#include <optional>
#include <utility>

#include "glog/logging.h"
#include "l4lb/config/diff.h"
#include "l4lb/net/free_fds.h"
#include "l4lb/server/server.h"

namespace l4lb {

// From one configuration to the next.
struct Server::Transition {
  struct PoolStep {
    ManagedPool* pool;                        // Of the server, or of `fresh`.
    std::optional<ManagedPool::Draft> draft;  // When it changes.
  };
  struct ListenerStep {
    const Config::Listener* config;
    uint32_t pool_id;
    ManagedListener* same;  // That becomes it in place.  Null: a new one, on these addresses.
    std::vector<std::shared_ptr<BoundAddress>> addresses;
  };

  // In the order of the configuration.
  std::vector<PoolStep> pools;
  std::vector<ListenerStep> listeners;
  std::vector<std::unique_ptr<ManagedPool>> fresh;

  std::vector<std::pair<ManagedPool*, ManagedPool::Effects>> opened;
};

absl::StatusOr<ReloadReport> Server::Reload(const Config& config) {
  if (stopped_listening_) return absl::UnavailableError("the process is about to stop");
  ConfigDiff diff = DiffConfigs(config_, config);
  ReloadReport report{.changed = !diff.changes.empty(),
                      .changes = std::move(diff.changes),
                      .ignored = std::move(diff.ignored)};
  if (!report.changed) return report;
  Transition transition;
  const absl::Status status = Prepare(config, transition);
  if (!status.ok()) return status;
  Make(config, transition);
  return report;
}

absl::Status Server::Prepare(const Config& config, Transition& transition) {
  const absl::Status status = PreparePools(config, transition);
  return status.ok() ? PrepareListeners(config, transition) : status;
}

absl::Status Server::PreparePools(const Config& config, Transition& transition) {
  for (const Config::Pool& wanted : config.pools) {
    ManagedPool* pool = FindPool(wanted.name);
    const auto removed =
        std::find_if(removed_pools_.begin(), removed_pools_.end(),
                     [&wanted](const auto& it) { return it->name() == wanted.name; });
    const bool comes_back = pool == nullptr && removed != removed_pools_.end();
    if (comes_back) pool = removed->get();
    if (pool == nullptr) {
      auto fresh = MakePool(wanted, ManagedPool::Birth::kLater);
      if (!fresh.ok()) return fresh.status();
      transition.pools.push_back({.pool = fresh->get()});
      transition.fresh.push_back(*std::move(fresh));
    } else if (!comes_back && pool->config() == wanted) {
      transition.pools.push_back({.pool = pool});
    } else {
      auto draft = pool->Reload(wanted);
      if (!draft.ok()) return draft.status();
      transition.pools.push_back({.pool = pool, .draft = *std::move(draft)});
    }
  }
  return absl::OkStatus();
}

absl::Status Server::PrepareListeners(const Config& config, Transition& transition) {
  for (const Config::Listener& wanted : config.listeners) {
    const auto pool =
        std::find_if(transition.pools.begin(), transition.pools.end(),
                     [&wanted](const auto& step) { return step.pool->name() == wanted.pool; });
    CHECK(pool != transition.pools.end());
    Transition::ListenerStep step{.config = &wanted, .pool_id = pool->pool->id(), .same = nullptr};
    ManagedListener* const same = FindListener(wanted.name);
    if (same != nullptr && same->CanBecome(wanted, step.pool_id)) {
      step.same = same;
    } else {
      auto addresses = BindFor(config, wanted);
      if (!addresses.ok()) return addresses.status();
      step.addresses = *std::move(addresses);
    }
    transition.listeners.push_back(std::move(step));
  }
  // A listener that takes over a socket needs a descriptor of its own for it at each worker.
  if (AreFdsFree(8)) return absl::OkStatus();
  return absl::FailedPreconditionError("no file descriptors are free: try again later");
}

void Server::Make(const Config& config, Transition& transition) {
  const Config running = std::exchange(config_, config);
  KeepRestartKeys(running, &config_);
  bool called_off = false;
  for (const Transition::PoolStep& step : transition.pools) {
    if (step.draft) called_off |= CallOffDrains(*step.pool, *step.draft);
  }
  if (called_off) workers_.AwaitTurn();
  // What comes, and when all know it, what goes: no session finds neither.
  MakePoolChanges(transition);
  MakeListenerChanges(transition);
  workers_.AwaitTurn();
  workers_.AwaitTurn();  // What a worker has handed over before that, another takes now.
  for (const auto& [pool, effects] : transition.opened) Close(*pool, effects);
  for (const auto& pool : removed_pools_) {
    if (!pool->backends().empty()) Close(*pool, Open(*pool, pool->Nothing()));
  }
  for (const auto& listener : gone_) {
    if (FindListener(listener->config().name) == nullptr) DrainSessionsOf(*listener);
  }
  TakeOverProcessSettings();
  SyncChecks();
  workers_.AwaitTurn();  // All know.
}

void Server::MakePoolChanges(Transition& transition) {
  std::vector<std::unique_ptr<ManagedPool>> all = std::move(pools_);
  for (auto* more : {&removed_pools_, &transition.fresh}) {
    for (auto& pool : *more) all.push_back(std::move(pool));
  }
  pools_.clear();
  removed_pools_.clear();
  for (size_t i = all.size() - transition.fresh.size(); i < all.size(); ++i) {
    for (int worker = 0; worker < workers_.size(); ++worker) {
      workers_.Tell(worker,
                    [plan = PoolPlan(*all[i], worker)](Worker& target) { target.AddPool(plan); });
    }
  }
  for (Transition::PoolStep& step : transition.pools) {
    const auto own = std::find_if(all.begin(), all.end(),
                                  [&step](const auto& pool) { return pool.get() == step.pool; });
    pools_.push_back(std::move(*own));
    if (!step.draft) continue;
    transition.opened.emplace_back(step.pool, Open(*step.pool, *std::move(step.draft)));
  }
  for (auto& pool : all) {
    if (pool != nullptr) removed_pools_.push_back(std::move(pool));
  }
}

void Server::MakeListenerChanges(Transition& transition) {
  std::vector<std::unique_ptr<ManagedListener>> before = std::move(listeners_);
  listeners_.clear();
  for (Transition::ListenerStep& step : transition.listeners) {
    const auto same = std::find_if(before.begin(), before.end(), [&step](const auto& listener) {
      return listener != nullptr && listener->config().name == step.config->name;
    });
    ManagedListener* const previous =
        same != before.end() ? same->get() : FindGone(step.config->name);
    if (step.same != nullptr) {
      listeners_.push_back(std::move(*same));
      ChangeInPlace(*step.same, *step.config);
      continue;
    }
    listeners_.push_back(std::make_unique<ManagedListener>(++last_id_, *step.config, step.pool_id,
                                                           workers_.size(), previous));
    listeners_.back()->SetAddresses(std::move(step.addresses));
    if (same != before.end()) previous->state = ManagedListener::State::kReplaced;
  }
  // Those that no worker has yet, before the ones whose sockets they get are stopped.
  for (auto& listener : listeners_) {
    if (!listener->told()) Introduce(*listener);
  }
  for (auto& listener : before) {
    if (listener == nullptr) continue;
    if (listener->state != ManagedListener::State::kReplaced) {
      listener->state = ManagedListener::State::kRemoved;
    }
    Abandon(std::move(listener));
  }
}

void Server::ChangeInPlace(ManagedListener& listener, const Config::Listener& config) {
  listener.Become(config);
  if (listener.state != ManagedListener::State::kOpen) return;
  const ListenOptions options = ListenOptionsOf(config, FindPool(listener.pool_id())->config());
  workers_.Tell([id = listener.id(), names = &NamesOf(listener), settings = listener.settings(),
                 options](Worker& worker) {
    worker.ChangeListener(id, *names, settings);
    worker.TuneListener(id, options);
  });
}

// It accepts no more; its sessions go on.
void Server::Abandon(std::unique_ptr<ManagedListener> listener) {
  // Of one that was drained the workers may know nothing any more.
  if (listener->told() && !listener->told_to_forget) {
    workers_.Tell([id = listener->id()](Worker& worker) { worker.StopListener(id); });
  }
  listener->Release();
  gone_.push_back(std::move(listener));
}

void Server::TakeOverProcessSettings() {
  FLAGS_minloglevel = static_cast<int>(config_.log_level);
  limits_ = LimitsFor(config_);
  if (places_.limit() == limits_.max_connections) return;
  places_.SetLimit(limits_.max_connections);
  workers_.Tell([](Worker& worker) { worker.Resume(); });
}

}  // namespace l4lb
