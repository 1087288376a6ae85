// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_socket.h"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "glog/logging.h"

namespace l4lb {

void FakeSocket::Join(FakeSocket& a, FakeSocket& b) {
  CHECK(a.far_end_ == nullptr && b.far_end_ == nullptr);
  a.far_end_ = &b;
  b.far_end_ = &a;
}

int64_t FakeSocket::Send(std::string_view data) {
  CHECK(!orphan_);
  if (error_ != 0) return -std::exchange(error_, 0);
  if (dead_ || fin_queued_) return -EPIPE;
  const size_t space = send_limit_ - std::min(send_limit_, send_queue_.size());
  if (space == 0) return -EAGAIN;
  data = data.substr(0, space);
  send_queue_ += data;
  return static_cast<int64_t>(data.size());
}

// The order is tcp_recvmsg()'s: data, then a FIN seen before (SOCK_DONE), then the error, then the
// clean end that every dead socket shows.
int64_t FakeSocket::Receive(char* out, size_t capacity) {
  CHECK(!orphan_);
  if (!receive_queue_.empty()) {
    const size_t size = std::min(capacity, receive_queue_.size());
    if (out != nullptr) std::memcpy(out, receive_queue_.data(), size);
    receive_queue_.erase(0, size);
    return static_cast<int64_t>(size);
  }
  if (fin_received_) return 0;
  if (error_ != 0) return -std::exchange(error_, 0);
  return dead_ ? 0 : -EAGAIN;
}

int FakeSocket::Finish() {
  if (dead_) return -ENOTCONN;
  fin_queued_ = true;
  return 0;
}

void FakeSocket::Close() {
  if (!receive_queue_.empty()) return Abort();
  orphan_ = true;
  if (!dead_) fin_queued_ = true;
}

// What was sent before the RST arrives before it; what the far end had no room for is thrown away.
void FakeSocket::Abort() {
  CarryWindow();
  orphan_ = true;
  send_queue_.clear();
  receive_queue_.clear();
  const bool over = dead_ || (fin_sent_ && fin_received_);
  dead_ = true;
  rst_queued_ = !over;
}

void FakeSocket::Fail(int error) {
  if (dead_ || (fin_sent_ && fin_received_)) return;
  dead_ = true;
  error_ = error;
  send_queue_.clear();
  Part();
}

size_t FakeSocket::unsent() const {
  if (far_end_ == nullptr || far_end_->orphan_) return 0;
  const size_t room = far_end_->receive_limit_ - far_end_->receive_queue_.size();
  return send_queue_.size() - std::min(send_queue_.size(), room);
}

bool FakeSocket::HasOutgoing() const {
  if (cut) return false;
  if (rst_queued_) return true;
  if (dead_) return false;
  if (send_queue_.empty()) return fin_queued_ && !fin_sent_;
  if (far_end_ == nullptr || far_end_->orphan_) return true;
  return far_end_->receive_queue_.size() < far_end_->receive_limit_;
}

bool FakeSocket::Transmit() {
  if (!HasOutgoing()) return false;
  if (rst_queued_) {
    rst_queued_ = false;
    FakeSocket* to = far_end_;
    Part();
    if (to != nullptr) to->OnReset();
    return true;
  }
  if (!send_queue_.empty()) {
    if (far_end_ == nullptr || far_end_->orphan_) {  // Nobody will read it.
      if (far_end_ != nullptr) {
        far_end_->CarryWindow();
        far_end_->Fail(ECONNRESET);
      }
      OnReset();
      return true;
    }
    CarryWindow();
  }
  if (send_queue_.empty() && fin_queued_ && !fin_sent_) {
    fin_sent_ = true;
    if (far_end_ != nullptr) far_end_->fin_received_ = true;
  }
  return true;
}

// As much as the far end has room for.
void FakeSocket::CarryWindow() {
  if (cut || dead_ || far_end_ == nullptr || far_end_->orphan_) return;
  const size_t size = send_queue_.size() - unsent();
  far_end_->receive_queue_.append(send_queue_, 0, size);
  send_queue_.erase(0, size);
}

void FakeSocket::Part() {
  if (far_end_ == nullptr) return;
  far_end_->far_end_ = nullptr;
  far_end_ = nullptr;
}

// The error is tcp_reset()'s: EPIPE where the far end had finished and we had not (CLOSE_WAIT).
void FakeSocket::OnReset() { Fail(fin_received_ && !fin_queued_ ? EPIPE : ECONNRESET); }

}  // namespace l4lb
