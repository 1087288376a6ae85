// SPDX-License-Identifier: Apache-2.0
//
// One end of a TCP connection in memory, with the semantics of Linux: bounded queues, FIN behind
// the data, RST that overtakes it, a pending error that is told once, to whoever asks first.
// FakeEngine holds the near ends, MemoryPeer the far ones, FakeNetwork owns all and carries the
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "l4lb/net/socket_address.h"

namespace l4lb {

class FakeSocket {
 public:
  static constexpr size_t kDefaultBytes = 256 << 10;

  FakeSocket(size_t send_limit, size_t receive_limit)
      : send_limit_(send_limit), receive_limit_(receive_limit) {}
  FakeSocket(const FakeSocket&) = delete;
  FakeSocket& operator=(const FakeSocket&) = delete;
  ~FakeSocket() { Part(); }

  static void Join(FakeSocket& a, FakeSocket& b);

  // As the system calls: a count, or a negative errno.
  int64_t Send(std::string_view data);
  int64_t Receive(char* out, size_t capacity);  ///< With `out` null the bytes are dropped.
  int Finish();                                 ///< shutdown(SHUT_WR); 0 or -ENOTCONN.
  void Close();                                 ///< RST if input is left unread, else FIN.
  void Abort();                                 ///< RST; the send queue is thrown away.
  /// The connection dies under both its users, as after an RST or a time-out.
  void Fail(int error);

  bool error_pending() const { return error_ != 0; }                        ///< EPOLLERR
  bool closed() const { return dead_ || (fin_sent_ && fin_received_); }     ///< TCP_CLOSE
  bool hung_up() const { return dead_ || (fin_queued_ && fin_received_); }  ///< EPOLLHUP
  size_t unacked() const { return send_queue_.size(); }
  size_t unsent() const;  ///< Of these, what the far end has no room for.
  size_t unread() const { return receive_queue_.size(); }

  // For FakeNetwork.
  bool HasOutgoing() const;
  /// Carries what the far end's window takes, then the FIN; or the RST.  Returns whether any moved.
  bool Transmit();
  /// Its owner has closed it and all that it had to say was said.
  bool forgotten() const {
    return orphan_ && (cut || (!HasOutgoing() && (send_queue_.empty() || dead_)));
  }
  FakeSocket* far_end() const { return far_end_; }

  SocketAddress local;
  SocketAddress remote;
  int64_t wire_free_at_ms = 0;  // Nothing leaves before.
  bool delay_decided = false;
  bool cut = false;  // Nothing ever leaves or arrives again.
  int64_t last_ack_at_ms = 0;

 private:
  void CarryWindow();
  void Part();
  void OnReset();

  const size_t send_limit_;
  const size_t receive_limit_;
  FakeSocket* far_end_ =
      nullptr;              // Null once it was forgotten: what still goes there is answered by RST.
  std::string send_queue_;  // Not yet acknowledged.
  std::string receive_queue_;
  int error_ = 0;            // The kernel's sk_err.
  bool fin_queued_ = false;  // By us.
  bool fin_sent_ = false;
  bool fin_received_ = false;
  bool rst_queued_ = false;
  bool dead_ = false;  // TCP_CLOSE.
  bool orphan_ = false;
};

}  // namespace l4lb
