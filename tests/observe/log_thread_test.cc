// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/log_thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

namespace l4lb {
namespace {

TEST(LogThreadTest, HasNoSignalsAndLeavesTheStarterItsOwn) {
  sigset_t inside;
  StartLogThread("log_thread", [&inside] {
    pthread_sigmask(SIG_SETMASK, nullptr, &inside);
  }).join();
  sigset_t outside;
  pthread_sigmask(SIG_SETMASK, nullptr, &outside);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGUSR1}) {
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
    EXPECT_EQ(sigismember(&outside, signal), 0) << signal;
  }
}

}  // namespace
}  // namespace l4lb
