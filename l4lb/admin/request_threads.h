// SPDX-License-Identifier: Apache-2.0
//
// The threads that answer requests which wait for the control thread, so that none of
// libmicrohttpd's has to.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace l4lb {

class RequestThreads {
 public:
  using Job = std::function<void()>;

  /// At most `queued` jobs wait.
  RequestThreads(int threads, size_t queued);
  /// After Stop().
  ~RequestThreads();
  RequestThreads(const RequestThreads&) = delete;
  RequestThreads& operator=(const RequestThreads&) = delete;

  /// False: too many wait, or Stop() was called.  Any thread.
  bool Run(Job job);
  /// Takes no more jobs, and waits until those that it took have run.
  void Stop();

 private:
  void Work();

  const size_t queued_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace l4lb
