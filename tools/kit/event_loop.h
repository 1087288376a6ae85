// SPDX-License-Identifier: Apache-2.0
//
// One thread's epoll loop, edge triggered.
#pragma once

#include <cstdint>

#include "l4lb/net/unique_fd.h"

namespace l4lb::kit {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kNsPerSecond = 1'000'000'000;

/// CLOCK_MONOTONIC.
int64_t NowNs();

class Watcher {
 public:
  /// `events` are EPOLL*.  May close its own fd here, and no other watcher's: an event for that one
  /// may lie in the same turn.
  virtual void OnReady(uint32_t events) = 0;

 protected:
  ~Watcher() = default;
};

class EventLoop {
 public:
  /// Stops the process when the kernel gives no epoll fd.
  EventLoop();

  /// Tells `watcher` of every edge (EPOLLIN, EPOLLOUT, EPOLLRDHUP) until the fd is closed.  0 or an
  /// errno.
  int Watch(int fd, Watcher* watcher);
  /// Listeners: EPOLLIN as long as there is something to accept.
  int WatchLevel(int fd, Watcher* watcher);

  /// Waits for events until `until_ns` at the latest, never longer than 100 ms (so that a stop is
  /// noticed), and tells the watchers.
  void Turn(int64_t until_ns);

  /// When this turn's events came.
  int64_t now_ns() const { return now_ns_; }

 private:
  UniqueFd epoll_;
  int64_t now_ns_;
};

}  // namespace l4lb::kit
