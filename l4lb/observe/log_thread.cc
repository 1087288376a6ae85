// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/log_thread.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace l4lb {

std::thread StartLogThread(const char* name, std::function<void()> run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // The new thread inherits it.
  std::thread thread(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace l4lb
