// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/request_threads.h"

#include <utility>

namespace l4lb {

RequestThreads::RequestThreads(int threads, size_t queued) : queued_(queued) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

RequestThreads::~RequestThreads() { Stop(); }

bool RequestThreads::Run(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || jobs_.size() >= queued_) return false;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void RequestThreads::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void RequestThreads::Work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }
}

}  // namespace l4lb
