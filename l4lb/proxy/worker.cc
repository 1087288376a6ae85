// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/worker.h"

#include <utility>

#include "glog/logging.h"

namespace l4lb {

Worker::Worker(std::unique_ptr<Engine> engine, const WorkerPlan& plan)
    : engine_(std::move(engine)),
      timers_(engine_->now_ms()),
      context_{.engine = *engine_,
               .timers = timers_,
               .blocks = blocks_,
               .places = *plan.places,
               .crew = *plan.crew,
               .events = *plan.events,
               .access_log = plan.access_log,
               .counters = counters_,
               .index = plan.index} {
  for (const auto& snapshot : plan.pools) {
    pools_.push_back(std::make_unique<WorkerPool>(
        snapshot, PolicyStart{.index = plan.index, .count = plan.crew->size(), .seed = plan.seed},
        waits_));
  }
  for (const WorkerPlan::Listen& listen : plan.listeners) {
    listeners_.push_back(
        std::make_unique<Listener>(context_, ListenerPlan{.names = listen.names,
                                                          .settings = listen.settings,
                                                          .pool = pools_[listen.pool].get(),
                                                          .limits = listen.limits,
                                                          .index = listeners_.size(),
                                                          .sockets = listen.sockets}));
  }
}

Worker::~Worker() = default;

void Worker::Open() {
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

void Worker::TakeOver(size_t listener, int fd, const SocketAddress& client) {
  listeners_[listener]->TakeOver(fd, client);
}

void Worker::Adopt(size_t pool, std::shared_ptr<const PoolSnapshot> snapshot) {
  pools_[pool]->Adopt(std::move(snapshot));
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

const ListenerCounters& Worker::listener_counters(size_t listener) const {
  return static_cast<const Listener&>(*listeners_[listener]).counters();
}

const PoolCounters& Worker::pool_counters(size_t pool) const { return pools_[pool]->counters(); }

}  // namespace l4lb
