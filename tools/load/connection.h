// SPDX-License-Identifier: Apache-2.0
//
// A connection of the generator: from dialing to closing.  What is done with it stands in the works
// (echo_work, connect_work, ...), which derive from this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "l4lb/net/unique_fd.h"
#include "tools/load/dialer.h"
#include "tools/load/loop.h"

namespace l4lb::load {

/// What send() or recv() did.
struct Moved {
  size_t bytes = 0;
  int error = 0;     ///< EAGAIN when nothing can be moved now.
  bool end = false;  ///< recv() only: the peer has finished.
};

class Connection : public Watcher {
 public:
  enum class State { kClosed, kConnecting, kOpen };

  virtual ~Connection() = default;

  /// Closed before; OnConnected() or OnLost() follow in some turn, unless this returns an errno.
  int Dial(Dialer& dialer, EventLoop& loop);
  /// For one whose Dial() is under way since `dialed_ns` before `before_ns`: gives up.
  void GiveUpDialing(int64_t before_ns);

  State state() const { return state_; }
  bool open() const { return state_ == State::kOpen; }
  int64_t dialed_ns() const { return dialed_ns_; }

  /// The plain close; with unread input or after SetReset() the kernel sends a reset.
  void Close();
  /// Closes by reset; what was sent may be lost.
  void Reset();

  void OnReady(uint32_t events) final;

 protected:
  virtual void OnConnected() = 0;
  /// Dialing failed with `error`; closed already.
  virtual void OnDialFailed(int error) = 0;
  /// EPOLL* of an open connection.  After EPOLLRDHUP or EPOLLHUP the input must be read to its end.
  virtual void OnEvents(uint32_t events) = 0;

  Moved Send(const char* data, size_t size);
  Moved Receive(char* data, size_t size);
  /// As Receive(), but over TCP the kernel copies nothing and `scratch` keeps what it holds.
  Moved Drop(char* scratch, size_t size);
  /// Shuts the sending direction.
  void Finish();
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
  State state_ = State::kClosed;
  int64_t dialed_ns_ = 0;
};

}  // namespace l4lb::load
