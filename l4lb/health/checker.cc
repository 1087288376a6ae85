// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/checker.h"

#include <pthread.h>

#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "l4lb/health/check_loop.h"
#include "l4lb/health/status_board.h"
#include "l4lb/net/clock.h"

namespace l4lb {
namespace {

using Task = absl::AnyInvocable<void(CheckLoop& loop) &&>;

// Checks neither pump nor splice.
EngineOptions SmallEngine() {
  return {.buffer_bytes = 4 << 10, .buffer_count = 4, .pipe_count = 0};
}

class CheckerThread final : public Checker {
 public:
  ~CheckerThread() override {
    if (engine_ != nullptr) {
      Post([this](CheckLoop&) { quit_ = true; });
    }
    thread_.join();
  }

  absl::Status Begin(CheckerOptions options) {
    std::promise<absl::Status> made;
    std::future<absl::Status> result = made.get_future();
    thread_ = std::thread([this, made = std::move(made), options = std::move(options)]() mutable {
      Run(std::move(options), made);
    });
    return result.get();
  }

  void Add(uint64_t id, CheckTarget target) override {
    Post([id, target = std::move(target)](CheckLoop& loop) mutable {
      loop.Add(id, std::move(target));
    });
  }
  void Remove(uint64_t id) override {
    Post([id](CheckLoop& loop) { loop.Remove(id); });
  }
  void WantGoodChecks(uint64_t id, bool wanted) override {
    Post([id, wanted](CheckLoop& loop) { loop.WantGoodChecks(id, wanted); });
  }
  void SetMostInFlight(int most) override {
    Post([most](CheckLoop& loop) { loop.SetMostInFlight(most); });
  }
  absl::flat_hash_map<uint64_t, CheckStatus> Status() const override {
    return board_.Read(Clock::Real().NowMs());
  }

 private:
  // The engine is made, used and ended on this thread: an io_uring belongs to one.
  void Run(CheckerOptions options, std::promise<absl::Status>& made) {
    ::pthread_setname_np(::pthread_self(), "checker");
    absl::StatusOr<std::unique_ptr<Engine>> engine = MakeEngine(options.engine, SmallEngine());
    if (engine.ok()) engine_ = std::move(*engine);
    made.set_value(
        engine.ok()
            ? absl::OkStatus()
            : absl::Status(engine.status().code(),
                           absl::StrCat("health checks: engine ", std::string(Name(options.engine)),
                                        ": ", std::string(engine.status().message()))));
    if (engine_ == nullptr) return;
    {
      CheckLoop loop(*engine_, board_,
                     {options.most_in_flight, options.seed, std::move(options.on_news)});
      // Before the first wait too: the loop's constructor may have swallowed their wake-up.
      RunTasks(loop);
      while (!quit_) {  // Nothing would end another wait.
        loop.Work();
        loop.Wait();
        RunTasks(loop);
      }
    }
    engine_.reset();
  }

  void Post(Task task) {
    // Held to the end: the last task ends the thread, and with it goes the engine.
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) engine_->Wake();  // Else it is woken already.
    tasks_.push_back(std::move(task));
  }

  void RunTasks(CheckLoop& loop) {
    std::vector<Task> tasks;
    {
      const std::lock_guard lock(mutex_);
      tasks.swap(tasks_);
    }
    for (Task& task : tasks) std::move(task)(loop);
  }

  StatusBoard board_;
  std::unique_ptr<Engine> engine_;  // Null only before Begin() returns, and at the very end.
  bool quit_ = false;               // The thread's.
  std::mutex mutex_;                // Of tasks_; one that ThreadSanitizer knows.
  std::vector<Task> tasks_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Checker>> Checker::Start(CheckerOptions options) {
  auto checker = std::make_unique<CheckerThread>();
  if (absl::Status status = checker->Begin(std::move(options)); !status.ok()) return status;
  return checker;
}

}  // namespace l4lb
