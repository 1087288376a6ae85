// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/stop_signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

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

void UnblockSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void WaitForStop() {
  const UniqueFd signals = StopSignalFd();
  pollfd fd = {.fd = signals.get(), .events = POLLIN};
  while (poll(&fd, 1, -1) != 1) {
  }
  // Taken, so that it does not come once more when signals are let through.
  signalfd_siginfo ignored;
  [[maybe_unused]] const ssize_t count = read(signals.get(), &ignored, sizeof(ignored));
}

}  // namespace l4lb::kit
