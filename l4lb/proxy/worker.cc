// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/worker.h"

#include <algorithm>
#include <utility>

#include "glog/logging.h"

namespace l4lb {

Worker::Worker(std::unique_ptr<Engine> engine, const WorkerPlan& plan)
    : engine_(std::move(engine)),
      timers_(engine_->now_ms()),
      closer_({.engine = *engine_,
               .timers = timers_,
               .sessions = *this,
               .share = (plan.index + 0.5) / plan.crew->size()}),
      context_{.engine = *engine_,
               .timers = timers_,
               .blocks = blocks_,
               .places = *plan.places,
               .crew = *plan.crew,
               .closer = closer_,
               .events = *plan.events,
               .access_log = plan.access_log,
               .counters = counters_,
               .index = plan.index},
      seed_(plan.seed) {
  for (const WorkerPlan::Pool& pool : plan.pools) AddPool(pool);
  for (const WorkerPlan::Listen& listener : plan.listeners) AddListener(listener);
}

Worker::~Worker() = default;

void Worker::Open() {
  open_ = true;
  for (auto& listener : listeners_) listener->Open();
}

void Worker::Run() {
  while (!quit_) Turn();
}

// An answer that lies in the kernel beats its own deadline: completions before timers.
void Worker::Turn() {
  engine_->Poll(timers_.NextAt());
  timers_.Advance(engine_->now_ms());
  if (has_mail_.load(std::memory_order_acquire)) RunMailbox();
  waits_.EndCancelled();
  bool made_room = false;
  bool closed = stopping_;
  for (auto& listener : listeners_) {
    made_room |= listener->EndTurn();
    closed = closed && listener->closed();
  }
  if (made_room) {
    Resume();
    context_.crew.Feed(context_.index);
  }
  if (removing_) ForgetRemoved();
  Publish();
  if (closed) closed_.store(true, std::memory_order_release);
}

void Worker::Post(Task task) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = mailbox_.empty();
    mailbox_.push_back(std::move(task));
    has_mail_.store(true, std::memory_order_release);
  }
  if (first) engine_->Wake();  // Else it is woken already.
}

void Worker::PostLease(uint64_t ticket, Lease lease) {
  Post([ticket, lease = std::move(lease)](Worker& worker) mutable {
    worker.waits_.Deliver(ticket, std::move(lease));
  });
}

void Worker::TakeOver(uint32_t listener, int fd, const SocketAddress& client) {
  this->listener(listener).TakeOver(fd, client);
}

WorkerPool& Worker::pool(uint32_t id) {
  const auto seat = std::find_if(pools_.begin(), pools_.end(),
                                 [id](const PoolSeat& seat) { return seat.id == id; });
  CHECK(seat != pools_.end()) << "no pool " << id;
  return *seat->pool;
}

Listener& Worker::listener(uint32_t id) {
  const auto found = std::find_if(listeners_.begin(), listeners_.end(),
                                  [id](const auto& listener) { return listener->id() == id; });
  CHECK(found != listeners_.end()) << "no listener " << id;
  return **found;
}

void Worker::AddPool(const WorkerPlan::Pool& pool) {
  const PolicyStart start{
      .index = context_.index, .count = context_.crew.size(), .seed = seed_ + pool.id};
  pools_.push_back(
      {pool.id, std::make_unique<WorkerPool>(pool.snapshot, start, waits_, pool.meters)});
}

void Worker::Adopt(uint32_t pool, std::shared_ptr<const PoolSnapshot> snapshot) {
  WorkerPool& adopting = this->pool(pool);
  const bool ages = !(adopting.snapshot().max_age == snapshot->max_age);
  adopting.Adopt(std::move(snapshot));
  if (ages) ReviewDeadlines(adopting);
}

void Worker::ReviewDeadlines(const WorkerPool& pool) {
  for (auto& listener : listeners_) {
    if (&listener->pool() != &pool) continue;
    listener->ForEachSession([](Session& session) { session.ReviewDeadlines(); });
  }
}

void Worker::ForEach(absl::FunctionRef<void(Session& session)> visit) {
  for (auto& listener : listeners_) listener->ForEachSession(visit);
}

void Worker::RemovePool(uint32_t pool) {
  std::erase_if(pools_, [pool](const PoolSeat& seat) { return seat.id == pool; });
}

void Worker::AddListener(WorkerPlan::Listen listener) {
  for (const WorkerPlan::Inherited& from : listener.inherited) {
    const int fd = this->listener(from.listener).ShareSocket(from.address);
    if (fd >= 0) listener.sockets.push_back({from.address, fd});
  }
  listeners_.push_back(
      std::make_unique<Listener>(context_, ListenerPlan{.id = listener.id,
                                                        .names = listener.names,
                                                        .settings = listener.settings,
                                                        .pool = &pool(listener.pool),
                                                        .limits = listener.limits,
                                                        .sockets = listener.sockets,
                                                        .meters = listener.meters,
                                                        .progress = listener.progress}));
  if (stopping_) listeners_.back()->Stop();
}

void Worker::OpenListener(uint32_t listener) {
  if (open_) this->listener(listener).Open();
}

void Worker::TuneListener(uint32_t listener, const ListenOptions& options) {
  this->listener(listener).Tune(options);
}

void Worker::ChangeListener(uint32_t listener, const SessionNames& names,
                            const SessionSettings& settings) {
  this->listener(listener).Change(names, settings);
}

void Worker::StopListener(uint32_t listener) { this->listener(listener).Stop(); }

void Worker::RemoveListener(uint32_t listener) {
  this->listener(listener).Remove();
  removing_ = true;
}

void Worker::ForgetRemoved() {
  std::erase_if(listeners_, [this](const auto& listener) {
    if (!listener->forgettable()) return false;
    closer_.EndDrain({.listener = listener->id()});
    return true;
  });
  removing_ = std::any_of(listeners_.begin(), listeners_.end(),
                          [](const auto& listener) { return listener->removing(); });
}

void Worker::Resume() {
  for (auto& listener : listeners_) listener->TryResume();
}

void Worker::PauseForFd() {
  for (auto& listener : listeners_) listener->PauseForFd("no file descriptor is free");
}

void Worker::RunMailbox() {
  std::vector<Task> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(mailbox_);
    has_mail_.store(false, std::memory_order_release);
  }
  for (auto& task : tasks) task(*this);
}

void Worker::StopListening() {
  stopping_ = true;
  for (auto& listener : listeners_) listener->Stop();
}

void Worker::CloseSessions(CloseReason reason) {
  for (auto& listener : listeners_) listener->CloseSessions(reason);
}

void Worker::Hurry() {
  for (auto& listener : listeners_) listener->HurrySessions();
}

void Worker::Refresh() {
  for (auto& listener : listeners_) listener->RefreshSessions();
  Publish();
}

void Worker::Publish() {
  const EngineStats& stats = engine_->stats();
  counters_.turns.Set(stats.turns);
  counters_.copied_bytes.Set(stats.copied_bytes);
  counters_.spliced_bytes.Set(stats.spliced_bytes);
  counters_.buffers_in_use.Set(stats.buffers_in_use);
  counters_.buffer_waits.Set(stats.buffer_waits);
  counters_.pipes_open.Set(stats.pipes_open);
  counters_.pipes_in_use.Set(stats.pipes_in_use);
}

}  // namespace l4lb
