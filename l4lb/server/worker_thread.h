// SPDX-License-Identifier: Apache-2.0
//
// A thread with its worker.  The engine and the worker are made on the thread itself, one after the
// other: whether all threads get their engine is known before anything is given to a worker.  They
// end there, too: an io_uring belongs to the thread that made it.
#pragma once

#include <future>
#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "l4lb/engine/make_engine.h"
#include "l4lb/proxy/worker.h"

namespace l4lb {

class WorkerThread {
 public:
  /// Waits until the engine is made.  The error names the worker.
  static absl::StatusOr<std::unique_ptr<WorkerThread>> Start(EngineKind kind,
                                                             const EngineOptions& options,
                                                             int index);
  /// Ends the worker, and waits for the thread.  If there is a worker it must have been told to
  /// quit.
  ~WorkerThread();

  /// Once.  Waits until the worker is made; it serves from then on.
  void Serve(const WorkerPlan& plan);

  /// After Serve(), and after the worker was told to quit: it does nothing any more.
  void AwaitQuit() { quit_.get_future().wait(); }

  /// After Serve().
  Worker& worker() { return *worker_; }
  const Worker& worker() const { return *worker_; }

 private:
  using PlanOrNull = const WorkerPlan*;  // Null: there will be no worker.

  WorkerThread() = default;
  void Run(std::unique_ptr<Engine> engine);

  std::promise<PlanOrNull> plan_;
  std::promise<void> serving_;
  std::promise<void> quit_;
  std::promise<void> over_;  // Nobody refers to the worker any more.
  std::unique_ptr<Worker> worker_;
  std::thread thread_;
};

}  // namespace l4lb
