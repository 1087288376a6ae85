// SPDX-License-Identifier: Apache-2.0
#include "tests/admin/fake_control.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace l4lb {
namespace {

std::string Describe(const BackendChange& change) {
  std::string text;
  if (change.state) absl::StrAppend(&text, " state=", std::string(Name(*change.state)));
  if (change.weight) absl::StrAppend(&text, " weight=", *change.weight);
  if (change.max_connections) absl::StrAppend(&text, " max_connections=", *change.max_connections);
  return text;
}

}  // namespace

PoolStatus PoolOf(int backends) {
  PoolStatus pool;
  pool.name = "a pool/1";
  pool.policy = "maglev";
  pool.table = "65537 slots";
  pool.table_checksum = 0xfedcba9876543210;
  for (int i = 0; i < backends; ++i) {
    BackendStatus& backend = pool.backends.emplace_back();
    backend.name = absl::StrCat("b", i);
    backend.address = absl::StrCat("10.0.", i / 256, ".", i % 256, ":5432");
    backend.sessions = 1'000'000 + static_cast<uint64_t>(i);
    backend.active = i % 100;
  }
  return pool;
}

FakeControl::FakeControl() {
  status.version = "1.2.3";
  status.engine = "epoll";
  status.engine_why = "it is a test";
  status.pid = 17;
  status.config.path = "/etc/l4lb/l4lb.yaml";
  status.workers.resize(2);
  ListenerStatus& listener = status.listeners.emplace_back();
  listener.name = "web";
  listener.pool = "a pool/1";
  listener.addresses = {"127.0.0.1:80", "[::1]:80"};
  listener.sums.accepted = 7;
  listener.timings.duration.counts[3] = 7;
  listener.timings.duration.sum = 99;
  PoolStatus& pool = status.pools.emplace_back(PoolOf(3));
  pool.backends.erase(pool.backends.begin());
  pool.backends[0].overrides = {"weight"};
  sessions.matching = 5;
  sessions.sessions = {{.id = 0xffffffffffffffff,
                        .listener = "web",
                        .pool = "a pool/1",
                        .client = "10.1.2.3:4567",
                        .backend = "b1"}};
  report = {.changed = true, .hash = "0123456789abcdef", .changes = {"pool a: + backend b3"}};
}

std::vector<std::string> FakeControl::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

size_t FakeControl::call_count() const {
  const std::lock_guard lock(mutex_);
  return calls_.size();
}

SessionQuery FakeControl::last_query() const {
  const std::lock_guard lock(mutex_);
  return query_;
}

int FakeControl::blocked() const {
  const std::lock_guard lock(mutex_);
  return blocked_;
}

void FakeControl::Block() {
  const std::lock_guard lock(mutex_);
  blocking_ = true;
}

void FakeControl::Unblock() {
  const std::lock_guard lock(mutex_);
  blocking_ = false;
  unblocked_.notify_all();
}

absl::StatusOr<ProcessStatus> FakeControl::Status() {
  std::unique_lock lock(mutex_);
  if (blocking_) ++blocked_;
  unblocked_.wait(lock, [this] { return !blocking_; });
  return status;
}

absl::StatusOr<std::string> FakeControl::ConfigText() { return "workers: 2\n"; }

absl::StatusOr<SessionList> FakeControl::Sessions(const SessionQuery& query) {
  const std::lock_guard lock(mutex_);
  query_ = query;
  return sessions;
}

absl::Status FakeControl::Note(std::string what, const Caller& caller) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(absl::StrCat(what, " by ", caller.name));
  return failure;
}

absl::StatusOr<int64_t> FakeControl::Count(std::string what, const Caller& caller) {
  const absl::Status noted = Note(std::move(what), caller);
  if (!noted.ok()) return noted;
  return 3;
}

absl::Status FakeControl::ChangeBackend(const std::string& pool, const std::string& backend,
                                        const BackendChange& change, const Caller& caller) {
  return Note(absl::StrCat("ChangeBackend ", pool, " ", backend, Describe(change)), caller);
}

absl::Status FakeControl::AddBackend(const std::string& pool, const NewBackend& backend,
                                     const Caller& caller) {
  const BackendChange values = {backend.state, backend.weight, backend.max_connections};
  return Note(absl::StrCat("AddBackend ", pool, " name=", backend.name,
                           " address=", backend.address, Describe(values)),
              caller);
}

absl::Status FakeControl::RemoveBackend(const std::string& pool, const std::string& backend,
                                        const Caller& caller) {
  return Note(absl::StrCat("RemoveBackend ", pool, " ", backend), caller);
}

absl::StatusOr<int64_t> FakeControl::CloseSessionsOf(const std::string& pool,
                                                     const std::string& backend,
                                                     const Caller& caller) {
  return Count(absl::StrCat("CloseSessionsOf ", pool, " ", backend), caller);
}

absl::Status FakeControl::CloseSession(uint64_t id, const Caller& caller) {
  return Note(absl::StrCat("CloseSession ", id), caller);
}

absl::Status FakeControl::DrainBackend(const std::string& pool, const std::string& backend,
                                       const Caller& caller) {
  return Note(absl::StrCat("DrainBackend ", pool, " ", backend), caller);
}

absl::Status FakeControl::UndrainBackend(const std::string& pool, const std::string& backend,
                                         const Caller& caller) {
  return Note(absl::StrCat("UndrainBackend ", pool, " ", backend), caller);
}

absl::Status FakeControl::DrainListener(const std::string& listener, const Caller& caller) {
  return Note(absl::StrCat("DrainListener ", listener), caller);
}

absl::Status FakeControl::UndrainListener(const std::string& listener, const Caller& caller) {
  return Note(absl::StrCat("UndrainListener ", listener), caller);
}

absl::Status FakeControl::DrainProcess(const Caller& caller) {
  return Note("DrainProcess", caller);
}

absl::StatusOr<ReloadReport> FakeControl::Reload(const Caller& caller) {
  const absl::Status noted = Note("Reload", caller);
  if (!noted.ok()) return noted;
  return report;
}

absl::StatusOr<int64_t> FakeControl::Rebalance(const std::string& pool, const Caller& caller) {
  return Count(absl::StrCat("Rebalance ", pool), caller);
}

}  // namespace l4lb
