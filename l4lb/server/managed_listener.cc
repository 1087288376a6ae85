// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/managed_listener.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "glog/logging.h"
#include "l4lb/server/build_pool.h"

namespace l4lb {
namespace {

SocketAddress MustParse(const std::string& text) {
  SocketAddress address;
  std::string error;
  CHECK(SocketAddress::Parse(text, &address, &error)) << text << ": " << error;
  return address;
}

// Ports whose IPv4 wildcard some listener binds: there the IPv6 wildcard must not be dual stack.
std::set<uint16_t> Ipv4WildcardPorts(const Config& config) {
  std::set<uint16_t> ports;
  for (const Config::Listener& listener : config.listeners) {
    for (const std::string& text : listener.bind) {
      const SocketAddress address = MustParse(text);
      if (address.family() == AF_INET && address.is_any()) ports.insert(address.port());
    }
  }
  return ports;
}

bool IsLimited(const Config::PerSource& per_source) {
  return per_source.max_connections > 0 || per_source.rate > 0;
}

using Progress = std::vector<std::shared_ptr<ListenerProgress>>;

bool OfAll(const Progress& progress, std::atomic<bool> ListenerProgress::*flag) {
  return std::all_of(progress.begin(), progress.end(), [flag](const auto& worker) {
    return ((*worker).*flag).load(std::memory_order_acquire);
  });
}

}  // namespace

BoundAddress::~BoundAddress() {
  if (file) RemoveSocketFile(*file);
}

ManagedListener::ManagedListener(uint32_t id, const Config::Listener& config, uint32_t pool_id,
                                 int workers, const ManagedListener* previous)
    : id_(id), config_(config), pool_id_(pool_id) {
  for (int i = 0; i < workers; ++i) {
    meters_.push_back(previous != nullptr ? previous->meters_[i]
                                          : std::make_shared<ListenerMeters>());
    progress_.push_back(std::make_shared<ListenerProgress>());
  }
  if (previous != nullptr &&
      IsLimited(previous->config_.per_source) == IsLimited(config.per_source)) {
    limits_ = previous->limits_;
  } else {
    limits_.reset(new ListenerLimits{
        .sources = SourceTable(config.per_source.max_connections, config.per_source.rate)});
    if (previous != nullptr) limits_->places = previous->limits_->places;
  }
  Become(config);
}

bool ManagedListener::CanBecome(const Config::Listener& config, uint32_t pool_id) const {
  return pool_id == pool_id_ && config.bind == config_.bind &&
         IsLimited(config.per_source) == IsLimited(config_.per_source);
}

void ManagedListener::Become(const Config::Listener& config) {
  config_ = config;
  limits_->places->SetLimit(config.max_connections);
  limits_->accept_rate.Set(config.accept_rate);
  limits_->sources.Set(config.per_source.max_connections, config.per_source.rate);
}

void ManagedListener::SetAddresses(std::vector<std::shared_ptr<BoundAddress>> addresses) {
  addresses_ = std::move(addresses);
  shown_addresses_.clear();
  for (const auto& address : addresses_) shown_addresses_.push_back(address->address);
}

void ManagedListener::OwnAddresses() {
  told_ = true;
  for (const auto& address : addresses_) address->owner = id_;
}

SessionSettings ManagedListener::settings() const {
  return {.idle_timeout_ms = absl::ToInt64Milliseconds(config_.idle_timeout),
          .half_close_timeout_ms = absl::ToInt64Milliseconds(config_.half_close_timeout)};
}

// Of an address that has fewer sockets than there are workers (UNIX), the first workers accept.
WorkerPlan::Listen ManagedListener::PlanFor(int worker, const SessionNames& names) {
  WorkerPlan::Listen plan{.id = id_,
                          .names = &names,
                          .settings = settings(),
                          .pool = pool_id_,
                          .limits = limits_.get(),
                          .meters = meters_[worker],
                          .progress = progress_[worker]};
  for (const auto& address : addresses_) {
    if (static_cast<size_t>(worker) >= address->sockets.size()) continue;
    UniqueFd& socket = address->sockets[worker];
    if (socket) {
      plan.sockets.push_back({address->id, socket.Release()});
    } else {
      plan.inherited.push_back({address->owner, address->id});
    }
  }
  return plan;
}

bool ManagedListener::closed() const { return OfAll(progress_, &ListenerProgress::closed); }

bool ManagedListener::forgotten() const { return OfAll(progress_, &ListenerProgress::removed); }

ListenerStatus ManagedListener::Status(int64_t now_ms) const {
  ListenerStatus status;
  status.name = config_.name;
  status.pool = config_.pool;
  status.addresses = shown_addresses_;
  for (const auto& meters : meters_) {
    status.sums.Add(meters->counters);
    status.timings.Add(meters->timings);
  }
  // One that began and ended between the two readings would make it negative.
  const auto active = static_cast<int64_t>(status.sums.accepted - status.sums.closed);
  status.active = std::max<int64_t>(active, 0);
  status.max_connections = config_.max_connections;
  status.draining = state == State::kDrained;
  status.removed = state == State::kReplaced || state == State::kRemoved;
  if (drain_until_ms != 0) status.drain_left_ms = std::max<int64_t>(drain_until_ms - now_ms, 0);
  return status;
}

absl::StatusOr<std::vector<std::shared_ptr<BoundAddress>>> BindAll(const Config& config,
                                                                   const BindRequest& request) {
  const std::set<uint16_t> ipv4_ports = Ipv4WildcardPorts(config);
  std::vector<std::shared_ptr<BoundAddress>> addresses;
  for (const std::string& text : request.listener.bind) {
    const auto same = std::find_if(request.existing.begin(), request.existing.end(),
                                   [&text](const auto& bound) { return bound->text == text; });
    if (same != request.existing.end()) {
      addresses.push_back(*same);
      continue;
    }
    const SocketAddress address = MustParse(text);
    ListenOptions options = request.options;
    options.dual_stack = !ipv4_ports.contains(address.port());
    absl::StatusOr<std::vector<UniqueFd>> sockets = ListenOnEach(address, options, request.workers);
    if (!sockets.ok()) return sockets.status();
    auto bound = std::make_shared<BoundAddress>();
    bound->id = ++request.last_id;
    bound->text = text;
    bound->address = LocalAddress(sockets->front().get()).ToString();
    bound->file = SocketFileOf(sockets->front().get());
    bound->sockets = *std::move(sockets);
    addresses.push_back(std::move(bound));
  }
  return addresses;
}

}  // namespace l4lb
