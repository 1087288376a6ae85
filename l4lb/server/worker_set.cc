// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/worker_set.h"

#include <algorithm>
#include <utility>

#include "l4lb/server/notice.h"

namespace l4lb {

void WorkerSet::End() {
  Tell([](Worker& worker) { worker.Quit(); });
  for (auto& thread : threads_) thread->AwaitQuit();  // Until then one may post to another.
  threads_.clear();
}

absl::Status WorkerSet::Start(EngineKind kind, const EngineOptions& options,
                              absl::FunctionRef<WorkerPlan(int worker)> plan_for) {
  for (int index = 0; index < count_; ++index) {
    absl::StatusOr<std::unique_ptr<WorkerThread>> thread =
        WorkerThread::Start(kind, options, index);
    if (!thread.ok()) {
      threads_.clear();
      return thread.status();
    }
    threads_.push_back(*std::move(thread));
  }
  for (int index = 0; index < count_; ++index) {
    threads_[index]->Serve(plan_for(index));
    crew_.Join(index, threads_[index]->worker());
  }
  Tell([](Worker& worker) { worker.Open(); });
  return absl::OkStatus();
}

void WorkerSet::Tell(const std::function<void(Worker&)>& task) {
  for (auto& thread : threads_) thread->worker().Post(task);
}

bool WorkerSet::Ask(const std::function<void(Worker&)>& task) {
  // Each task holds its notice: a worker that is late must not find it gone.
  std::vector<std::shared_ptr<Notice>> done;
  for (auto& thread : threads_) {
    if (thread->worker().idle()) continue;
    done.push_back(std::make_shared<Notice>());
    thread->worker().Post([task, done = done.back()](Worker& worker) {
      task(worker);
      done->Give();
    });
  }
  const auto deadline = Notice::Clock::now() + kPatience;
  return std::all_of(done.begin(), done.end(),
                     [deadline](const auto& one) { return one->AwaitUntil(deadline); });
}

std::vector<Surplus> WorkerSet::CloseIdlest(int worker, const std::vector<Surplus>& surplus) {
  struct Answer {
    std::vector<Surplus> left;
    Notice done;
  };
  auto answer = std::make_shared<Answer>();
  answer->left = surplus;
  Tell(worker, [answer](Worker& target) {
    for (Surplus& one : answer->left) {
      one.count -= l4lb::CloseIdlest(target.sessions(), {&one, 1}, CloseReason::rebalanced);
    }
    answer->done.Give();
  });
  if (!answer->done.AwaitUntil(Notice::Clock::now() + kPatience)) return {};
  std::erase_if(answer->left, [](const Surplus& one) { return one.count <= 0; });
  return answer->left;
}

// In two passes: once all are closed nothing is handed over any more, and sessions only end.
bool WorkerSet::idle() const {
  const auto closed = [](const auto& thread) { return thread->worker().closed(); };
  const auto idle = [](const auto& thread) { return thread->worker().idle(); };
  return std::all_of(threads_.begin(), threads_.end(), closed) &&
         std::all_of(threads_.begin(), threads_.end(), idle);
}

}  // namespace l4lb
