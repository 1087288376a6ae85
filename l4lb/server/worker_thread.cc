// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/worker_thread.h"

#include <pthread.h>

#include <future>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace l4lb {

absl::StatusOr<std::unique_ptr<WorkerThread>> WorkerThread::Start(const EngineOptions& options,
                                                                  const WorkerPlan& plan) {
  auto self = std::unique_ptr<WorkerThread>(new WorkerThread);
  std::promise<absl::Status> made;
  std::future<absl::Status> result = made.get_future();
  self->thread_ = std::thread([self = self.get(), &options, &plan, &made] {
    ::pthread_setname_np(::pthread_self(), absl::StrCat("worker-", plan.index).c_str());
    absl::StatusOr<std::unique_ptr<Engine>> engine = MakeEpollEngine(options);
    if (!engine.ok()) return made.set_value(engine.status());
    self->worker_ = std::make_unique<Worker>(*std::move(engine), plan);
    Worker& worker = *self->worker_;
    made.set_value(absl::OkStatus());  // `options`, `plan` and `made` are gone from here on.
    worker.Run();
  });
  const absl::Status status = result.get();
  if (!status.ok()) return status;
  return self;
}

WorkerThread::~WorkerThread() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace l4lb
