// SPDX-License-Identifier: Apache-2.0
//
// Where another thread may come between two steps that share data.  tests/backend/queue_model_test
// compiles this room with L4LB_MODEL and explores the interleavings with a scheduler of its own;
// everywhere else the points are nothing.
#pragma once

#include <mutex>

namespace l4lb {

#ifdef L4LB_MODEL
void InterleavingPoint();
#else
inline void InterleavingPoint() {}
#endif

/// std::lock_guard whose wait the model's scheduler can see.
class ModelLock {
 public:
  explicit ModelLock(std::mutex& mutex) : mutex_(mutex) {
#ifdef L4LB_MODEL
    while (!mutex_.try_lock()) InterleavingPoint();
#else
    mutex_.lock();
#endif
  }
  ~ModelLock() { mutex_.unlock(); }
  ModelLock(const ModelLock&) = delete;
  ModelLock& operator=(const ModelLock&) = delete;

 private:
  std::mutex& mutex_;
};

}  // namespace l4lb
