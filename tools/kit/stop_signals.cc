// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/stop_signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "glog/logging.h"

namespace l4lb::kit {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void BlockSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

UniqueFd StopSignalFd() {
  const sigset_t set = StopSignals();
  UniqueFd fd(signalfd(-1, &set, SFD_CLOEXEC));
  PCHECK(fd) << "signalfd";
  return fd;
}

void WaitForStop() {
  const UniqueFd signals = StopSignalFd();
  pollfd fd = {.fd = signals.get(), .events = POLLIN};
  while (poll(&fd, 1, -1) != 1) {
  }
}

}  // namespace l4lb::kit
