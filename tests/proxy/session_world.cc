// SPDX-License-Identifier: Apache-2.0
#include "tests/proxy/session_world.h"

#include <errno.h>

#include <algorithm>
#include <utility>

#include "glog/logging.h"

namespace l4lb {
namespace {

constexpr int64_t kLongestMs = 120'000;  // No world may last longer.
constexpr int64_t kHeartbeatMs = 1'000;  // So that a session that hangs is seen, not waited for.

}  // namespace

class SessionWorld::Silence final : public EventLog {
 public:
  void Post(Event, std::string_view) override {}
  uint64_t suppressed() const override { return 0; }
};

class SessionWorld::Recorder final : public AccessLog {
 public:
  bool Append(int, const SessionRecord& record) override {
    doubled_ += !records_.emplace(record.client.ToString(), record).second;
    return true;
  }
  absl::Status Reopen() override { return absl::OkStatus(); }
  uint64_t Stop(int64_t) override { return 0; }
  uint64_t lost() const override { return 0; }

  const std::map<std::string, SessionRecord>& records() const { return records_; }
  size_t doubled() const { return doubled_; }

 private:
  std::map<std::string, SessionRecord> records_;
  size_t doubled_ = 0;
};

SessionWorld::SessionWorld(const WorldOptions& options)
    : options_(options),
      dice_(options.seed),
      events_(std::make_unique<Silence>()),
      recorder_(std::make_unique<Recorder>()) {
  names_ = {.listener = "front", .pool = "back", .policy = "round_robin"};
  DrawFaults();
  network_.faults = wire_faults_;
  DrawPool();
  auto engine = std::make_unique<FakeEngine>(
      network_, FakeEngineOptions{.buffer_bytes = size_t{512} << dice_.Below(6),
                                  .buffer_count = 1 + dice_.Below(20),
                                  .faults = faults_});
  engine_ = engine.get();
  engine_->on_pump = [this](const FakeSocket& from, const FakeSocket& to) {
    const bool from_client = from.local == near_address_;
    if (from_client) pairs_[from.remote.ToString()] = to.local.ToString();
  };
  engine_->on_pump_end = [this](const PumpOp& pump, const FakeSocket& from) {
    const bool left = pump.holding() || (pump.error != 0 && from.unread() > 0);
    if (left)
      cut_.insert(from.local == near_address_ ? from.remote.ToString() : from.local.ToString());
  };
  FakeListener& listener = network_.Listen(
      AF_INET,
      {.send = size_t{1} << (10 + dice_.Below(6)), .receive = size_t{1} << (10 + dice_.Below(6))});
  near_address_ = listener.address;
  const bool crowded = !options_.calm && dice_.Chance(0.2);
  places_ = std::make_unique<Places>(crowded ? dice_.Between(1, 4) : 1000);
  DrawLimits();
  WorkerPlan plan;
  plan.pools.push_back({.snapshot = pool_, .meters = pool_meters_});
  plan.listeners.push_back({.names = &names_,
                            .settings = settings_,
                            .pool = 0,
                            .limits = limits_.get(),
                            .sockets = {{.fd = engine_->fds().Open(listener)}},
                            .meters = listener_meters_});
  plan.places = places_.get();
  plan.crew = &crew_;
  plan.events = events_.get();
  plan.access_log = recorder_.get();
  worker_ = std::make_unique<Worker>(std::move(engine), plan);
  DrawClients();
  DrawEnd();
  if (options_.controlled) controls_.Schedule(*worker_, pool_);
}

SessionWorld::~SessionWorld() = default;

void SessionWorld::DrawFaults() {
  const auto sometimes = [this](double at_most) {
    return dice_.Chance(0.5) ? at_most * static_cast<double>(dice_.Below(1000)) / 1000 : 0.0;
  };
  faults_.partial = sometimes(0.5);
  faults_.stall = sometimes(0.3);
  faults_.late = sometimes(0.5);
  faults_.shuffle = true;
  faults_.corruption = options_.corruption;
  faults_.corrupt_at = 1000;
  faults_.never_resets = options_.never_resets;
  wire_faults_.delay = sometimes(0.3);
  wire_faults_.max_delay_ms = dice_.Between(1, 100);
  if (options_.calm) return;
  faults_.connect_slow = sometimes(0.5);
  faults_.connect_refused = sometimes(0.3);
  faults_.connect_lack = dice_.Chance(0.3) ? 0.2 : 0;
  wire_faults_.reset = dice_.Chance(0.3) ? 0.02 : 0;
}

// Every client has an address of its own port only: all are one source.
void SessionWorld::DrawLimits() {
  const auto sometimes = [this](int64_t low, int64_t high) {
    return !options_.calm && dice_.Chance(0.2) ? dice_.Between(low, high) : 0;
  };
  limits_.reset(new ListenerLimits{.places = std::make_shared<Places>(sometimes(1, 4)),
                                   .accept_rate = SharedRate(sometimes(5, 50)),
                                   .sources = SourceTable(sometimes(1, 4), sometimes(2, 20))});
}

void SessionWorld::DrawPool() {
  pool_ = std::make_shared<PoolSnapshot>();
  const bool limited = dice_.Chance(0.3);
  pool_->pool = std::make_shared<Pool>(
      "back", PoolLimits{.max_connections = limited && dice_.Chance(0.5) ? dice_.Between(1, 4) : 0,
                         .queue = options_.calm ? 100 : dice_.Between(0, 4)});
  pool_->queue_timeout_ms = options_.calm ? 60'000 : dice_.Between(20, 2'000);
  pool_->queue_per_backend = dice_.Chance(0.3);
  backend_limited_ = limited;
  pool_->policy = static_cast<PolicyKind>(dice_.Below(4));
  pool_->retries = static_cast<int>(dice_.Below(4));
  pool_->connect_timeout_ms = options_.calm ? 5'000 : dice_.Between(20, 1'000);
  pool_->dead_after_ms = dice_.Chance(0.5) ? 0 : 4'000;
  settings_.idle_timeout_ms = options_.calm ? 60'000 : dice_.Between(100, 6'000);
  settings_.half_close_timeout_ms = options_.calm ? 60'000 : dice_.Between(100, 3'000);
  if (options_.controlled) pool_->max_age = SessionControls::DrawAge(dice_);
  const int count = static_cast<int>(dice_.Between(1, 4));
  for (int index = 0; index < count; ++index) AddBackend(index);
}

void SessionWorld::AddBackend(int index) {
  SocketAddress address = network_.NewAddress(AF_INET);  // Refused ...
  if (options_.calm || dice_.Chance(0.8)) {
    FakeListener& listener =
        network_.Listen(AF_INET, {.send = size_t{1} << (10 + dice_.Below(6)),
                                  .receive = size_t{1} << (10 + dice_.Below(6))});
    listener.on_arrival = [this, &listener] {
      ++accepts_to_come_;
      network_.At(clock_.NowMs() + dice_.Between(0, 50),
                  [this, &listener] { AcceptAtBackend(listener); });
    };
    backend_listeners_.push_back(&listener);
    address = listener.address;
    if (dice_.Chance(0.2)) network_.SetFate(address, {.delay_ms = dice_.Between(1, 300)});
  } else if (dice_.Chance(0.5)) {
    network_.SetFate(address, {.blackholed = true});  // ... or silent.
  }
  const auto weight = static_cast<uint32_t>(dice_.Between(1, 3));
  const int64_t limit = backend_limited_ ? dice_.Between(1, 3) : 0;
  pool_->members.push_back(
      {pool_->pool->Add("b" + std::to_string(index), address, {weight, limit}), weight});
}

void SessionWorld::AcceptAtBackend(FakeListener& listener) {
  --accepts_to_come_;
  FakeSocket* socket = network_.Accept(listener);
  CHECK(socket != nullptr);
  backends_.push_back(std::make_unique<ScriptedPeer>(
      network_, std::make_unique<MemoryPeer>(network_, *socket), next_id_++,
      DrawCharacter(dice_, PeerRole::kBackend, options_.calm)));
}

void SessionWorld::DrawClients() {
  clients_to_come_ = static_cast<int>(dice_.Between(1, 12));
  for (int i = 0; i < clients_to_come_; ++i) {
    network_.At(clock_.NowMs() + dice_.Between(0, 500), [this] { Dial(); });
  }
}

void SessionWorld::Dial() {
  --clients_to_come_;
  int error = 0;
  FakeSocket* socket = network_.Connect(near_address_, {}, &error);
  if (error == ECONNREFUSED) return;  // We listen no more.
  CHECK_EQ(error, 0);
  clients_.push_back(std::make_unique<ScriptedPeer>(
      network_, std::make_unique<MemoryPeer>(network_, *socket), next_id_++,
      DrawCharacter(dice_, PeerRole::kClient, options_.calm)));
}

// At some time no more accepting; much later, or soon, force.
void SessionWorld::DrawEnd() {
  const int64_t stop_at_ms = clock_.NowMs() + dice_.Between(100, 1'500);
  hasty_ = !options_.calm && dice_.Chance(0.3);
  const int64_t close_at_ms = stop_at_ms + (hasty_ ? dice_.Between(0, 500) : 90'000);
  const int64_t hurry_at_ms = close_at_ms + (hasty_ ? dice_.Between(0, 2'000) : 10'000);
  network_.At(stop_at_ms,
              [this] { worker_->Post([](Worker& worker) { worker.StopListening(); }); });
  network_.At(close_at_ms, [this] {
    by_force_ = !worker_->idle();
    worker_->Post([](Worker& worker) { worker.CloseSessions(CloseReason::shutdown); });
  });
  network_.At(hurry_at_ms, [this] { worker_->Post([](Worker& worker) { worker.Hurry(); }); });
  // The pool is published anew meanwhile, as a reload does.
  for (int64_t swaps = dice_.Between(0, 3); swaps > 0; --swaps) {
    network_.At(clock_.NowMs() + dice_.Between(0, 1'000), [this] {
      worker_->Post([snapshot = std::make_shared<PoolSnapshot>(*pool_)](Worker& worker) {
        worker.Adopt(0, snapshot);
      });
    });
  }
  for (int64_t after_ms = kHeartbeatMs; after_ms <= kLongestMs; after_ms += kHeartbeatMs) {
    network_.At(clock_.NowMs() + after_ms, [] {});
  }
}

bool SessionWorld::EverybodyGone() const {
  const auto gone = [](const auto& peer) { return peer->gone(); };
  return clients_to_come_ == 0 && accepts_to_come_ == 0 &&
         std::all_of(clients_.begin(), clients_.end(), gone) &&
         std::all_of(backends_.begin(), backends_.end(), gone);
}

void SessionWorld::Run() {
  const int64_t end_ms = clock_.NowMs() + kLongestMs;
  worker_->Open();
  while (!(worker_->idle() && EverybodyGone()) && clock_.NowMs() < end_ms) {
    worker_->Turn();
    CheckLimits();
  }
  over_in_time_ = worker_->idle() && EverybodyGone();
  if (!over_in_time_) return;
  for (FakeListener* listener : backend_listeners_) network_.Close(*listener);
  // What was sent last arrives.
  network_.faults = {};
  while (network_.NextDue() < end_ms) {
    clock_.MoveTo(std::max(clock_.NowMs(), network_.NextDue()));
    network_.RunScheduled();
    network_.Carry();
  }
}

void SessionWorld::CheckLimits() {
  const auto exceeded = [](const Places& places) {
    return places.limited() && places.used() > places.limit();
  };
  limit_exceeded_ |=
      exceeded(*places_) || exceeded(*limits_->places) || exceeded(pool_->pool->places());
  for (const auto& member : pool_->members) {
    limit_exceeded_ |= pool_->pool->table().over_full(member.backend->slot());
  }
}

WorldLedger SessionWorld::Ledger() const {
  WorldLedger ledger{.calm = options_.calm,
                     .lacked = faults_.connect_lack > 0,
                     .wire_breaks = wire_faults_.reset > 0,
                     .wire_delays = wire_faults_.delay > 0,
                     .over_in_time = over_in_time_,
                     .hasty = hasty_,
                     .by_force = by_force_};
  for (const auto& client : clients_) ledger.clients.push_back(client->ledger());
  for (const auto& backend : backends_) ledger.backends.push_back(backend->ledger());
  ledger.pairs = pairs_;
  ledger.cut = cut_;
  ledger.records = recorder_->records();
  ledger.doubled_records = recorder_->doubled();
  ledger.listener = listener_meters_.get();
  ledger.pool = pool_meters_.get();
  ledger.control_reasons = controls_.reasons();
  ledger.least_age_ms = controls_.least_age_ms();
  ledger.control_wrong = controls_.wrong();
  for (const auto& member : pool_->members) {
    ledger.backend_sessions += member.backend->tally().sessions;
    ledger.leases_held += member.backend->active();
  }
  ledger.places_used = places_->used();
  ledger.waiting = pool_->pool->waiting();
  ledger.limit_exceeded = limit_exceeded_;
  ledger.places_used += pool_->pool->places().used() + limits_->places->used();
  ledger.ops_in_flight = engine_->ops_in_flight();
  ledger.fds_open = engine_->fds().size();
  ledger.sockets = network_.socket_count();
  return ledger;
}

}  // namespace l4lb
