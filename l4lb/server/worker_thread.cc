// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/worker_thread.h"

#include <pthread.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace l4lb {

absl::StatusOr<std::unique_ptr<WorkerThread>> WorkerThread::Start(EngineKind kind,
                                                                  const EngineOptions& options,
                                                                  int index) {
  auto self = std::unique_ptr<WorkerThread>(new WorkerThread);
  std::promise<absl::Status> made;
  std::future<absl::Status> result = made.get_future();
  self->thread_ = std::thread([self = self.get(), kind, &options, index, &made] {
    ::pthread_setname_np(::pthread_self(), absl::StrCat("worker-", index).c_str());
    absl::StatusOr<std::unique_ptr<Engine>> engine = MakeEngine(kind, options);
    made.set_value(engine.status());  // `options` and `made` are gone from here on.
    if (engine.ok()) self->Run(*std::move(engine));
  });
  const absl::Status status = result.get();
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat("worker ", index, ": engine ", std::string(Name(kind)), ": ",
                                     std::string(status.message())));
  }
  return self;
}

void WorkerThread::Run(std::unique_ptr<Engine> engine) {
  const PlanOrNull plan = plan_.get_future().get();
  if (plan == nullptr) return;
  worker_ = std::make_unique<Worker>(std::move(engine), *plan);
  Worker& worker = *worker_;
  serving_.set_value();  // The plan is gone from here on.
  worker.Run();
  quit_.set_value();
  over_.get_future().wait();
  worker_.reset();
}

void WorkerThread::Serve(const WorkerPlan& plan) {
  plan_.set_value(&plan);
  serving_.get_future().wait();
}

WorkerThread::~WorkerThread() {
  if (!thread_.joinable()) return;
  if (worker_ == nullptr) plan_.set_value(nullptr);
  over_.set_value();
  thread_.join();
}

}  // namespace l4lb
