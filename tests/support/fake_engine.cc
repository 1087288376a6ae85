// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_engine.h"

#include <errno.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "glog/logging.h"
#include "tests/support/fake_flight.h"

namespace l4lb {
namespace {

/// Which fds an op uses, and for what; -1 is none.
struct Roles {
  int reads = -1;
  int writes = -1;
  int watches = -1;

  bool Use(int fd) const { return fd == reads || fd == writes || fd == watches; }
};

Roles RolesOf(const Op& op) {
  switch (op.kind) {
    case Op::Kind::kAccept:
      return {.reads = static_cast<const AcceptOp&>(op).listen_fd};
    case Op::Kind::kConnect:
      return {};
    case Op::Kind::kPump:
      return {.reads = static_cast<const PumpOp&>(op).from,
              .writes = static_cast<const PumpOp&>(op).to};
    case Op::Kind::kWatch:
      return {.watches = static_cast<const WatchOp&>(op).fd};
    case Op::Kind::kSend:
      return {.writes = static_cast<const SendOp&>(op).fd};
    case Op::Kind::kRead:
      return {.reads = static_cast<const ReadOp&>(op).fd};
    case Op::Kind::kWait:
      break;
  }
  LOG(FATAL) << "an op of no kind";
}

bool Clash(int a, int b) { return a >= 0 && a == b; }

}  // namespace

FakeEngine::FakeEngine(FakeNetwork& network, const FakeEngineOptions& options)
    : network_(network), dice_(network.dice()), options_(options) {}

FakeEngine::~FakeEngine() { CHECK(flights_.empty()) << "ops outlive their engine"; }

void FakeEngine::CheckRolesFree(const Op& op) const {
  const Roles wanted = RolesOf(op);
  for (const auto& flight : flights_) {
    const Roles taken = RolesOf(*flight->op);
    CHECK(!Clash(wanted.reads, taken.reads)) << "two ops read fd " << wanted.reads;
    CHECK(!Clash(wanted.writes, taken.writes)) << "two ops write fd " << wanted.writes;
    CHECK(!Clash(wanted.watches, taken.watches)) << "two ops watch fd " << wanted.watches;
  }
}

void FakeEngine::CheckIntact(const Flight& flight) const {
  CHECK(flight.op->in_flight && flight.op->kind == flight.kind && flight.op->done == flight.done)
      << "an op was changed or destroyed in flight";
}

FakeEngine::Flight& FakeEngine::Start(Op& op) {
  CHECK(!op.in_flight) << "op started twice";
  CHECK(op.done != nullptr) << "op was not bound";
  CheckRolesFree(op);
  op.in_flight = true;
  op.error = 0;
  flights_.push_back(std::make_unique<Flight>(op));
  return *flights_.back();
}

void FakeEngine::Accept(AcceptOp& op) {
  CHECK(op.accepted != nullptr);
  fds_.listener(op.listen_fd);
  Start(op);
}

void FakeEngine::Connect(ConnectOp& op) {
  static constexpr std::array<int, 4> kLacks = {EADDRNOTAVAIL, EMFILE, ENOBUFS, ENOMEM};
  CHECK(op.peer != nullptr && op.peer->size() > 0);
  Flight& flight = Start(op);
  op.fd = -1;
  const EngineFaults& faults = options_.faults;
  const ConnectFate fate = network_.FateOf(*op.peer);
  flight.connect_error = fate.blackholed ? ETIMEDOUT : fate.error;
  flight.connect_at_ms = network_.clock().NowMs() + (fate.blackholed ? 127'000 : fate.delay_ms);
  if (dice_.Chance(faults.connect_slow)) {
    flight.connect_at_ms += dice_.Between(1, faults.max_connect_ms);
  }
  if (dice_.Chance(faults.connect_refused)) flight.connect_error = ECONNREFUSED;
  const bool lacking = dice_.Chance(faults.connect_lack);
  if (lacking) flight.connect_error = kLacks[dice_.Below(kLacks.size())];
  if (fds_.full()) flight.connect_error = EMFILE;
  if (lacking || fds_.full()) flight.connect_at_ms = network_.clock().NowMs();
}

void FakeEngine::Pump(PumpOp& op, std::string_view prefix) {
  const FakeSocket& from = fds_.socket(op.from);
  const FakeSocket& to = fds_.socket(op.to);
  if (on_pump) on_pump(from, to);
  Flight& flight = Start(op);
  op.failed = PumpOp::End::kNone;
  op.from_was_reset = false;
  op.taken = prefix.size();
  op.bytes = 0;
  op.first_at_ms = op.moved_at_ms = 0;
  op.taken_in_turn = 0;
  flight.held = prefix;
}

void FakeEngine::Watch(WatchOp& op) {
  fds_.socket(op.fd);
  Start(op);
}

void FakeEngine::Send(SendOp& op) {
  fds_.socket(op.fd);
  Start(op);
  op.sent = 0;
}

void FakeEngine::Read(ReadOp& op) {
  fds_.socket(op.fd);
  Start(op);
  op.size = 0;
}

void FakeEngine::Cancel(Op& op) {
  for (const auto& flight : flights_) {
    if (flight->op != &op) continue;
    CheckIntact(*flight);
    if (flight->cancelled || flight->ended) return;
    flight->cancelled = true;
    flight->cancel_turn = LateTurn();
    return;
  }
  CHECK(!op.in_flight) << "an op of another engine";
}

void FakeEngine::Shutdown(int fd) { fds_.socket(fd).Finish(); }

void FakeEngine::Close(int fd, CloseKind kind) {
  for (const auto& flight : flights_) {
    CheckIntact(*flight);
    CHECK(!RolesOf(*flight->op).Use(fd)) << "fd " << fd << " closed with an op in flight on it";
  }
  if (fds_.IsListener(fd)) {
    network_.Close(fds_.listener(fd));
  } else if (kind == CloseKind::kReset && !options_.faults.never_resets) {
    fds_.socket(fd).Abort();
  } else {
    fds_.socket(fd).Close();
  }
  fds_.Remove(fd);
}

int64_t FakeEngine::Unacked(int fd) { return static_cast<int64_t>(fds_.socket(fd).unacked()); }

int64_t FakeEngine::Unsent(int fd) { return static_cast<int64_t>(fds_.socket(fd).unsent()); }

int64_t FakeEngine::Unread(int fd) { return static_cast<int64_t>(fds_.socket(fd).unread()); }

// A peer that lives answers retransmissions and probes, however small its window.
AckState FakeEngine::Acknowledgements(int fd) {
  constexpr int64_t kProbeIntervalMs = 200;
  const FakeSocket& socket = fds_.socket(fd);
  const int64_t silent_ms = network_.clock().NowMs() - socket.last_ack_at_ms;
  AckState acks{.last_ack_ms = silent_ms, .closed = socket.closed()};
  if (socket.unacked() == 0) return acks;
  if (socket.cut) {
    acks.retransmits = static_cast<int>(silent_ms / 1000);
  } else {
    acks.last_ack_ms = std::min(silent_ms, kProbeIntervalMs);
  }
  return acks;
}

void FakeEngine::Poll(int64_t wake_at_ms) {
  CHECK(!polling_) << "Poll() from inside Poll()";
  polling_ = true;
  bool happened = Turn();
  while (!happened && !TakeWake() && AdvanceClock(wake_at_ms)) happened = Turn();
  ++stats_.turns;
  polling_ = false;
}

bool FakeEngine::Turn() {
  ++turn_;
  may_stall_ = !std::exchange(stalled_, false);
  done_is_due_ = false;
  now_ms_ = network_.clock().NowMs();
  bool happened = network_.RunScheduled();
  happened |= network_.Carry();
  std::vector<Flight*> order;
  for (const auto& flight : flights_) order.push_back(flight.get());
  if (options_.faults.shuffle) dice_.Shuffle(order);
  for (Flight* flight : order) happened |= Step(*flight);
  happened |= network_.Carry();
  happened |= RunDone();
  network_.Carry();
  return happened;
}

// In the order in which the ops ended: who learns of a clean end after a reset of the same socket
// was told elsewhere must have been able to learn of that.
bool FakeEngine::RunDone() {
  bool any = false;
  while (!ended_.empty() && ended_.front()->done_turn <= turn_) {
    Flight* const flight = ended_.front();
    ended_.pop_front();
    CheckIntact(*flight);
    Op& op = *flight->op;
    op.in_flight = false;
    op.error = flight->error;
    if (op.kind == Op::Kind::kPump && on_pump_end) {
      const auto& pump = static_cast<const PumpOp&>(op);
      on_pump_end(pump, fds_.socket(pump.from));
    }
    std::erase_if(flights_, [flight](const auto& other) { return other.get() == flight; });
    op.done(op);
    any = true;
  }
  return any;
}

bool FakeEngine::AdvanceClock(int64_t wake_at_ms) {
  if (done_is_due_) return false;
  if (stalled_) return true;
  const int64_t until_ms = std::min(NextDue(), wake_at_ms);
  if (until_ms <= now_ms_) return false;
  if (until_ms == kForever) {
    WaitForWake();
    return false;
  }
  network_.clock().MoveTo(until_ms);
  return true;
}

int64_t FakeEngine::NextDue() const {
  int64_t due_ms = network_.NextDue();
  for (const auto& flight : flights_) {
    if (flight->kind == Op::Kind::kConnect) due_ms = std::min(due_ms, flight->connect_at_ms);
  }
  return due_ms;
}

bool FakeEngine::TakeWake() {
  const std::lock_guard lock(mutex_);
  return std::exchange(woken_, false);
}

void FakeEngine::WaitForWake() {
  std::unique_lock lock(mutex_);
  CHECK(wake_changed_.wait_for(lock, std::chrono::seconds(30), [this] { return woken_; }))
      << "nothing can happen any more, and Poll() waits for ever";
  woken_ = false;
}

void FakeEngine::Wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  wake_changed_.notify_one();
}

}  // namespace l4lb
