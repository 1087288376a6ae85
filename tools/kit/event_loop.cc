// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/event_loop.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "glog/logging.h"

namespace l4lb::kit {
namespace {

constexpr int64_t kLongestWaitNs = 100 * kNsPerMs;

int Add(int epoll, int fd, uint32_t events, Watcher* watcher) {
  epoll_event event = {.events = events, .data = {.ptr = watcher}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

}  // namespace

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)), now_ns_(NowNs()) {
  PCHECK(epoll_) << "epoll_create1";
}

int EventLoop::Watch(int fd, Watcher* watcher) {
  return Add(epoll_.get(), fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, watcher);
}

int EventLoop::WatchLevel(int fd, Watcher* watcher) {
  return Add(epoll_.get(), fd, EPOLLIN, watcher);
}

void EventLoop::Turn(int64_t until_ns) {
  // Of the thread that waits.  The default slack of 50 us would be in every latency of an open
  // loop.
  thread_local const int exact = prctl(PR_SET_TIMERSLACK, 1);
  (void)exact;
  const int64_t wait_ns = std::clamp<int64_t>(until_ns - NowNs(), 0, kLongestWaitNs);
  const timespec wait = {.tv_sec = 0, .tv_nsec = static_cast<long>(wait_ns)};
  std::array<epoll_event, 256> events;
  const int count =
      epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()), &wait, nullptr);
  PCHECK(count >= 0 || errno == EINTR) << "epoll_pwait2";
  now_ns_ = NowNs();
  for (int i = 0; i < count; ++i) {
    static_cast<Watcher*>(events[static_cast<size_t>(i)].data.ptr)
        ->OnReady(events[static_cast<size_t>(i)].events);
  }
}

}  // namespace l4lb::kit
