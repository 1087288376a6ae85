// SPDX-License-Identifier: Apache-2.0
//
// The near side's file descriptors, none of which the kernel knows.  A number is never given out
// twice, so that any use after Close() is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "glog/logging.h"
#include "tests/support/fake_network.h"

namespace l4lb {

class FakeFdTable {
 public:
  /// No real fd is as large: whoever passes one of ours to the kernel gets EBADF.
  static constexpr int kFirst = 1'000'000'000;

  bool full() const { return entries_.size() >= limit_; }
  size_t size() const { return entries_.size(); }
  void set_limit(size_t limit) { limit_ = limit; }

  int Open(FakeSocket& socket) { return Insert({&socket, nullptr}); }
  int Open(FakeListener& listener) { return Insert({nullptr, &listener}); }
  void Remove(int fd) {
    CHECK_EQ(entries_.erase(fd), 1u) << "fd " << fd << " is not open: closed twice?";
  }

  bool IsListener(int fd) const { return Find(fd).listener != nullptr; }
  FakeSocket& socket(int fd) const {
    CHECK(!IsListener(fd)) << "fd " << fd << " is a listener";
    return *Find(fd).socket;
  }
  FakeListener& listener(int fd) const {
    CHECK(IsListener(fd)) << "fd " << fd << " is no listener";
    return *Find(fd).listener;
  }

 private:
  struct Entry {
    FakeSocket* socket;
    FakeListener* listener;
  };

  int Insert(const Entry& entry) {
    entries_[next_] = entry;
    return next_++;
  }
  const Entry& Find(int fd) const {
    const auto found = entries_.find(fd);
    CHECK(found != entries_.end()) << "fd " << fd << " is not open";
    return found->second;
  }

  std::map<int, Entry> entries_;
  size_t limit_ = SIZE_MAX;
  int next_ = kFirst;
};

}  // namespace l4lb
