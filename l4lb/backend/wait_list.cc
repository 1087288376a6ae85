// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/wait_list.h"

#include <algorithm>

namespace l4lb {

bool MayUse(const WaitOp& wait, const Backend& backend) {
  if (wait.only != nullptr) return wait.only == &backend;
  return std::find(wait.tried.begin(), wait.tried.end(), &backend) == wait.tried.end();
}

void WaitList::PushBack(WaitOp& wait) {
  wait.before = last_;
  wait.after = nullptr;
  (last_ != nullptr ? last_->after : first_) = &wait;
  last_ = &wait;
  wait.queued = true;
}

void WaitList::Remove(WaitOp& wait) {
  (wait.before != nullptr ? wait.before->after : first_) = wait.after;
  (wait.after != nullptr ? wait.after->before : last_) = wait.before;
  wait.queued = false;
}

WaitOp* WaitList::FirstFor(const Backend& backend, bool only) const {
  for (WaitOp* wait = first_; wait != nullptr; wait = wait->after) {
    if (only ? wait->only == &backend : MayUse(*wait, backend)) return wait;
  }
  return nullptr;
}

}  // namespace l4lb
