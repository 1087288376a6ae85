// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/loop_thread.h"

#include <sys/eventfd.h>

#include <utility>

#include "glog/logging.h"

namespace l4lb::skew {

LoopThread::LoopThread(Duty& duty) : duty_(duty), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  PCHECK(wake_) << "eventfd";
  CHECK_EQ(loop_.WatchLevel(wake_.get(), this), 0);
}

void LoopThread::Start() {
  thread_ = std::thread([this] { Run(); });
}

void LoopThread::Post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  eventfd_write(wake_.get(), 1);
}

void LoopThread::Stop() {
  if (!thread_.joinable()) return;
  Post([this] { stop_ = true; });
  thread_.join();
}

void LoopThread::OnReady(uint32_t) {
  eventfd_t ignored;
  eventfd_read(wake_.get(), &ignored);
}

void LoopThread::Run() {
  while (!stop_) {
    loop_.Turn(duty_.NextNs());
    RunPosted();
    duty_.DoDue(kit::NowNs());
  }
}

void LoopThread::RunPosted() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) task();
}

}  // namespace l4lb::skew
