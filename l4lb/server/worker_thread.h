// SPDX-License-Identifier: Apache-2.0
//
// A thread with its worker.  The engine and the worker are made on the thread itself.
#pragma once

#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "l4lb/engine/make_engine.h"
#include "l4lb/proxy/worker.h"

namespace l4lb {

class WorkerThread {
 public:
  /// Waits until the engine is made; the worker serves from then on.
  static absl::StatusOr<std::unique_ptr<WorkerThread>> Start(const EngineOptions& options,
                                                             const WorkerPlan& plan);
  /// Waits for the thread: the worker must be idle or on its way there.
  ~WorkerThread();

  Worker& worker() { return *worker_; }
  const Worker& worker() const { return *worker_; }

 private:
  WorkerThread() = default;

  std::unique_ptr<Worker> worker_;  // Made on the thread; outlives it, for its counters.
  std::thread thread_;
};

}  // namespace l4lb
