// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/managed_pool.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

// Whether the configuration could say so, too.
absl::Status CheckRange(absl::string_view key_name, std::optional<int64_t> value) {
  const Key& key = *FindKey("pools[].backends[]", key_name);
  if (!value || (*value >= key.min && *value <= key.max)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(key_name, " is ", *value, ": it must be ", RangeText(key)));
}

absl::Status CheckTerms(std::optional<int64_t> weight, std::optional<int64_t> max_connections) {
  if (auto status = CheckRange("weight", weight); !status.ok()) return status;
  return CheckRange("max_connections", max_connections);
}

// An override that says what the configuration says is none.
template <typename T>
void Normalise(std::optional<T>& override, const T& configured) {
  if (override && *override == configured) override.reset();
}

void Normalise(ManagedBackend& backend) {
  Normalise(backend.overrides.state, backend.configured.state);
  Normalise(backend.overrides.weight, static_cast<int64_t>(backend.configured.weight));
  Normalise(backend.overrides.max_connections, backend.configured.max_connections);
}

// What the API has set stays, but where the configuration says something new.
void CarryOver(const ManagedBackend& before, ManagedBackend& now) {
  if (before.by_api) return;
  const ConfiguredBackend& was = before.configured;
  const ConfiguredBackend& is = now.configured;
  if (was.state == is.state) now.overrides.state = before.overrides.state;
  if (was.weight == is.weight) now.overrides.weight = before.overrides.weight;
  if (was.max_connections == is.max_connections) {
    now.overrides.max_connections = before.overrides.max_connections;
  }
}

// Whether both have this backend, as the same.
bool HaveSame(const Config::Pool& a, const Config::Pool& b, const std::string& name) {
  const auto matches = [&name](const Config::Backend& backend) { return backend.name == name; };
  const auto in_a = std::find_if(a.backends.begin(), a.backends.end(), matches);
  const auto in_b = std::find_if(b.backends.begin(), b.backends.end(), matches);
  return in_a != a.backends.end() && in_b != b.backends.end() && *in_a == *in_b;
}

template <typename Backends>
auto FindIn(Backends& backends, const std::string& name) {
  const auto found = std::find_if(
      backends.begin(), backends.end(),
      [&name](const ManagedBackend& backend) { return backend.configured.name == name; });
  return found == backends.end() ? nullptr : &*found;
}

}  // namespace

uint32_t ManagedBackend::weight() const {
  return static_cast<uint32_t>(overrides.weight.value_or(configured.weight));
}

int64_t ManagedBackend::max_connections() const {
  return overrides.max_connections.value_or(configured.max_connections);
}

BackendTerms ManagedBackend::terms() const {
  return {.weight = weight(),
          .max_connections = max_connections(),
          .open = state() == BackendState::kReady};
}

std::vector<std::string> ManagedBackend::override_names() const {
  std::vector<std::string> names;
  if (overrides.state) names.emplace_back("state");
  if (overrides.weight) names.emplace_back("weight");
  if (overrides.max_connections) names.emplace_back("max_connections");
  return names;
}

absl::StatusOr<std::unique_ptr<ManagedPool>> ManagedPool::Make(uint32_t id,
                                                               const Config::Pool& config,
                                                               int workers, Birth birth) {
  auto pool = std::unique_ptr<ManagedPool>(new ManagedPool(id, config, workers));
  absl::StatusOr<Draft> draft = pool->Reload(config);
  if (!draft.ok()) return draft.status();
  draft->at_start = birth == Birth::kAtStart;
  pool->Commit(*std::move(draft));
  return pool;
}

ManagedPool::ManagedPool(uint32_t id, const Config::Pool& config, int workers)
    : id_(id),
      config_(config),
      pool_(std::make_shared<Pool>(config.name, LimitsOf(config))),
      health_(*pool_) {
  for (int i = 0; i < workers; ++i) meters_.push_back(std::make_shared<PoolMeters>());
}

const ManagedBackend* ManagedPool::Find(const std::string& backend) const {
  return FindIn(backends_, backend);
}

absl::StatusOr<ManagedPool::Draft> ManagedPool::Reload(const Config::Pool& config) {
  absl::StatusOr<std::vector<ConfiguredBackend>> configured = ConfiguredBackends(config);
  if (!configured.ok()) return configured.status();
  absl::flat_hash_map<std::string, const ManagedBackend*> before;
  for (const ManagedBackend& backend : backends_) before[backend.configured.name] = &backend;
  std::vector<ManagedBackend> backends;
  std::vector<std::string> deleted;
  for (ConfiguredBackend& wanted : *configured) {
    const bool is_deleted =
        std::find(deleted_.begin(), deleted_.end(), wanted.name) != deleted_.end();
    if (is_deleted && HaveSame(config_, config, wanted.name)) {
      deleted.push_back(wanted.name);
      continue;
    }
    ManagedBackend backend{.configured = std::move(wanted)};
    const auto found = before.find(backend.configured.name);
    if (found != before.end()) CarryOver(*found->second, backend);
    backends.push_back(std::move(backend));
  }
  for (const ManagedBackend& backend : backends_) {
    if (backend.by_api && FindIn(backends, backend.configured.name) == nullptr) {
      backends.push_back(backend);
    }
  }
  return Complete(config, std::move(backends), std::move(deleted));
}

absl::StatusOr<ManagedPool::Draft> ManagedPool::Change(const std::string& name,
                                                       const BackendChange& change) {
  if (auto status = CheckTerms(change.weight, change.max_connections); !status.ok()) return status;
  std::vector<ManagedBackend> backends = backends_;
  ManagedBackend* backend = FindIn(backends, name);
  if (backend == nullptr) return NoSuchBackend(name);
  if (change.state) backend->overrides.state = change.state;
  if (change.weight) backend->overrides.weight = change.weight;
  if (change.max_connections) backend->overrides.max_connections = change.max_connections;
  return Complete(config_, std::move(backends), deleted_);
}

absl::StatusOr<ManagedPool::Draft> ManagedPool::Add(const NewBackend& wanted) {
  if (auto status = CheckTerms(wanted.weight, wanted.max_connections); !status.ok()) return status;
  ManagedBackend backend{.by_api = true};
  std::string error;
  if (!SocketAddress::Parse(wanted.address, &backend.configured.address, &error)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "address ", wanted.address, ": ", error,
        " (host names are looked up for the configuration only: give the address itself)"));
  }
  const Config::HealthCheck& check = config_.health_check;
  if (backend.configured.address.family() == AF_UNIX && !check.address.empty() && check.port == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("address ", wanted.address, ": the pool checks ", check.address,
                     ", and a UNIX socket has no port to check there: set health_check.port in the "
                     "configuration"));
  }
  backend.configured.name = wanted.name.empty() ? wanted.address : wanted.name;
  backend.configured.weight = static_cast<uint32_t>(wanted.weight);
  backend.configured.max_connections = wanted.max_connections;
  backend.configured.state = wanted.state;
  backend.configured.backup = wanted.backup;
  if (Find(backend.configured.name) != nullptr) {
    return absl::AlreadyExistsError(
        absl::StrCat("pool ", name(), " has a backend ", backend.configured.name, " already"));
  }
  std::vector<ManagedBackend> backends = backends_;
  backends.push_back(std::move(backend));
  return Complete(config_, std::move(backends), deleted_);
}

absl::StatusOr<ManagedPool::Draft> ManagedPool::Remove(const std::string& name) {
  std::vector<ManagedBackend> backends = backends_;
  const ManagedBackend* backend = FindIn(backends, name);
  if (backend == nullptr) return NoSuchBackend(name);
  std::vector<std::string> deleted = deleted_;
  if (!backend->by_api) deleted.push_back(name);
  backends.erase(backends.begin() + (backend - backends.data()));
  return Complete(config_, std::move(backends), std::move(deleted));
}

ManagedPool::Draft ManagedPool::Nothing() {
  auto snapshot = std::make_shared<PoolSnapshot>();
  snapshot->pool = pool_;
  FillSettings(config_, *snapshot);
  CHECK(GiveLookup(config_, {}, *snapshot).ok());
  return {.config = config_, .snapshot = std::move(snapshot)};
}

std::vector<ManagedPool::Excess> ManagedPool::ExcessOfShare() const {
  int64_t active = 0;
  int64_t weights = 0;
  const auto takes_part = [this](const ManagedBackend& backend) {
    return !pool_->table().closed(backend.backend->slot());
  };
  for (const ManagedBackend& backend : backends_) {
    if (!takes_part(backend)) continue;
    active += backend.backend->active();
    weights += backend.weight();
  }
  std::vector<Excess> excess;
  for (const ManagedBackend& backend : backends_) {
    if (!takes_part(backend)) continue;
    const int64_t share = (active * backend.weight() + weights - 1) / weights;
    const int64_t more = backend.backend->active() - share;
    if (more > 0) excess.push_back({backend.backend, more});
  }
  return excess;
}

absl::Status ManagedPool::NoSuchBackend(const std::string& backend) const {
  return absl::NotFoundError(absl::StrCat("pool ", name(), " has no backend ", backend));
}

absl::StatusOr<ManagedPool::Draft> ManagedPool::Complete(Config::Pool config,
                                                         std::vector<ManagedBackend> backends,
                                                         std::vector<std::string> deleted) {
  if (backends.size() > kMostBackends) {
    return absl::ResourceExhaustedError(
        absl::StrCat("pool ", name(), " has ", kMostBackends, " backends already, the most"));
  }
  Objects objects;
  const auto enter = [&objects](const std::shared_ptr<Backend>& backend) {
    objects[{backend->name(), backend->address_text()}] = backend;
  };
  for (const auto& backend : retired_) enter(backend);
  for (const ManagedBackend& backend : backends_) enter(backend.backend);
  auto snapshot = std::make_shared<PoolSnapshot>();
  std::vector<LookupNode> nodes;
  for (ManagedBackend& backend : backends) {
    Normalise(backend);
    if (auto status = GiveObject(objects, backend); !status.ok()) return status;
    const auto slot = static_cast<size_t>(backend.backend->slot());
    if (slot >= snapshot->members.size()) snapshot->members.resize(slot + 1, {.weight = 0});
    snapshot->members[slot] = {backend.backend, backend.weight()};
    // A weight of 0 at run time moves only that backend's flows: it keeps its part of the table.
    const uint32_t weight = backend.weight() > 0 ? backend.weight() : backend.configured.weight;
    nodes.push_back({backend.configured.name, weight, backend.backend->slot()});
  }
  snapshot->pool = pool_;
  FillSettings(config, *snapshot);
  if (auto status = GiveLookup(config, nodes, *snapshot); !status.ok()) return status;
  return Draft{std::move(config), std::move(backends), std::move(deleted), std::move(snapshot)};
}

// The one that it had, or a new one, which takes nobody before Commit().
absl::Status ManagedPool::GiveObject(const Objects& objects, ManagedBackend& backend) {
  const ConfiguredBackend& wanted = backend.configured;
  const auto found = objects.find({wanted.name, wanted.address.ToString()});
  if (found != objects.end()) {
    backend.backend = found->second;
    return absl::OkStatus();
  }
  backend.backend = pool_->Add(wanted.name, wanted.address, {.open = false});
  if (backend.backend == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "pool ", name(), " has too many backends, removed ones with sessions counted"));
  }
  retired_.push_back(backend.backend);  // So that it is forgotten if nothing comes of it.
  return absl::OkStatus();
}

}  // namespace l4lb
