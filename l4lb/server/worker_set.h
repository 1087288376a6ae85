// SPDX-License-Identifier: Apache-2.0
//
// All workers of the process, as the control thread speaks to them.  No worker ever waits for it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "l4lb/engine/make_engine.h"
#include "l4lb/proxy/crew.h"
#include "l4lb/server/worker_thread.h"

namespace l4lb {

class WorkerSet {
 public:
  /// How long the control thread waits for the workers' turns.  A turn takes milliseconds.
  static constexpr std::chrono::seconds kPatience{5};

  explicit WorkerSet(int count) : count_(count), crew_(count) {}
  ~WorkerSet() { End(); }

  int size() const { return count_; }
  Crew& crew() { return crew_; }
  const Crew& crew() const { return crew_; }

  /// Makes them, and then lets all accept: the first that does may hand over.  When one does not
  /// get its engine there are none, no plan was asked for, and it may be called again.
  absl::Status Start(EngineKind kind, const EngineOptions& options,
                     absl::FunctionRef<WorkerPlan(int worker)> plan_for);
  /// Every worker is closed and idle; ends their threads.
  void End();

  const WorkerCounters& counters(int worker) const { return threads_[worker]->worker().counters(); }

  void Tell(int worker, Worker::Task task) { threads_[worker]->worker().Post(std::move(task)); }
  /// Tells every worker.
  void Tell(const std::function<void(Worker&)>& task);
  /// Tells every worker, and waits until all have done it, or for kPatience.  False: it is still to
  /// come at some worker.  Such as are idle for good are left out.
  bool Ask(const std::function<void(Worker&)>& task);

  /// Ask() for nothing: what they were told before is done.
  bool AwaitTurn() {
    return Ask([](Worker&) {});
  }

  /// Tells one worker to close so many sessions, and waits for it.  What is left to close.
  std::vector<Surplus> CloseIdlest(int worker, const std::vector<Surplus>& surplus);

  /// No worker will begin a session any more, and none has one.
  bool idle() const;

 private:
  const int count_;
  Crew crew_;
  std::vector<std::unique_ptr<WorkerThread>> threads_;
};

}  // namespace l4lb
