// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/check.h"

#include <errno.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/net/errno_text.h"

namespace l4lb {
namespace {

// Of the buffer; then it doubles.
constexpr size_t kFirstBytes = 1 << 10;

int64_t NowNs() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool WeLack(int error) {
  return error == EADDRNOTAVAIL || error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

}  // namespace

Check::Check(CheckContext& context, Host& host) : context_(context), host_(host) {
  expired = [](Timer& timer) { static_cast<Check&>(timer).OnDeadline(); };
  Bind<&Check::OnConnected>(connect_, this);
  Bind<&Check::OnSent>(send_, this);
  Bind<&Check::OnRead>(read_, this);
}

Check::~Check() { DCHECK(!under_way()); }

void Check::Begin(const SocketAddress& peer, const CheckPlan& plan) {
  DCHECK(!under_way());
  plan_ = &plan;
  phase_ = Phase::kConnecting;
  decided_ = given_up_ = false;
  broken_ = 0;
  fd_ = -1;
  taken_ = received_ = 0;
  begun_ms_ = context_.engine.now_ms();
  begun_ns_ = NowNs();
  deadline_ms_ = begun_ms_ + plan.timeout_ms;
  context_.timers.Arm(*this, deadline_ms_);
  connect_.peer = &peer;
  context_.engine.Connect(connect_);
}

void Check::GiveUp() {
  if (!under_way() || given_up_) return;
  decided_ = given_up_ = true;
  switch (phase_) {
    case Phase::kConnecting:
      return context_.engine.Cancel(connect_);
    case Phase::kSending:
      return context_.engine.Cancel(send_);
    case Phase::kReading:
      return Part();
    case Phase::kParting:
      return context_.timers.Arm(*this, context_.engine.now_ms() + kPartingMs);
    case Phase::kOver:
      return;
  }
}

void Check::Extend(int64_t ms) {
  if (!under_way()) return;
  deadline_ms_ += ms;
  if (armed()) context_.timers.Arm(*this, at_ms + ms);
}

void Check::OnConnected(ConnectOp& op) {
  if (op.error != 0) {
    FailBy(op.error);
    return Finish();
  }
  fd_ = op.fd;
  if (decided_) return Part();
  if (plan_->send.empty()) return Await();
  phase_ = Phase::kSending;
  send_.fd = fd_;
  send_.data = plan_->send;
  context_.engine.Send(send_);
}

void Check::OnSent(SendOp& op) {
  if (decided_) return Part();
  broken_ = op.error;
  Await();
}

void Check::Await() {
  if (plan_->expected != nullptr) {
    phase_ = Phase::kReading;
    return ReadMore();
  }
  if (broken_ == 0) {
    Pass();
  } else {
    FailBy(broken_);
  }
  Part();
}

void Check::ReadMore() {
  if (buffer_.size() == received_) {
    const size_t doubled = std::max(kFirstBytes, 2 * buffer_.size());
    buffer_.resize(std::min(doubled, plan_->limit_bytes));
  }
  read_.fd = fd_;
  read_.data = buffer_.data() + received_;
  read_.capacity = buffer_.size() - received_;
  context_.engine.Read(read_);
}

void Check::OnRead(ReadOp& op) {
  taken_ += op.size;
  const bool over = op.error != 0 || op.size == 0;
  if (phase_ == Phase::kReading) {
    received_ += op.size;
    LookAtAnswer(op);
    if (!decided_) return ReadMore();
    if (!over) return Part();
  }
  // After the backend's FIN, a close is nothing but ours.
  over ? Finish() : DropMore();
}

void Check::LookAtAnswer(const ReadOp& op) {
  if (op.error != 0) return FailBy(op.error);
  if (op.size == 0 && received_ == 0) {
    return broken_ != 0 ? FailBy(broken_) : Fail("closed without a byte");
  }
  if (op.size == 0) return Fail(plan_->expected->Mismatch(received()));
  switch (plan_->expected->Look(received())) {
    case Expectation::Answer::kMet:
      return Pass();
    case Expectation::Answer::kRefuted:
      return Fail(plan_->expected->Mismatch(received()));
    case Expectation::Answer::kMore:
      break;
  }
  if (left() == 0) Fail(plan_->expected->Mismatch(received()));
}

void Check::DropMore() {
  if (left() == 0) return Finish();
  read_.fd = fd_;
  read_.data = context_.dropped;
  read_.capacity = std::min(left(), CheckContext::kDropBytes);
  context_.engine.Read(read_);
}

void Check::OnDeadline() {
  switch (phase_) {
    case Phase::kConnecting:
      Fail(absl::StrCat("no answer within ", plan_->timeout_ms, " ms"));
      return context_.engine.Cancel(connect_);
    case Phase::kSending:
      Fail(absl::StrCat("it did not take what was sent within ", plan_->timeout_ms, " ms"));
      return context_.engine.Cancel(send_);
    case Phase::kReading:
      Fail(Silence());
      return Part();
    case Phase::kParting:
      return context_.engine.Cancel(read_);
    case Phase::kOver:
      return;
  }
}

void Check::Part() {
  const int64_t now_ms = context_.engine.now_ms();
  const int64_t left_ms = given_up_ ? 0 : deadline_ms_ - now_ms;
  phase_ = Phase::kParting;
  context_.timers.Arm(*this, now_ms + std::max(left_ms, kPartingMs));
  context_.engine.Shutdown(fd_);
  if (!read_.in_flight) DropMore();  // Else what is read into the buffer is dropped.
}

void Check::Finish() {
  context_.timers.Disarm(*this);
  if (fd_ >= 0) context_.engine.Close(fd_, CloseKind::kFin);
  fd_ = -1;
  std::string().swap(buffer_);
  phase_ = Phase::kOver;
  host_.OnOver();
}

void Check::FailBy(int error) {
  if (WeLack(error)) return Decide(CheckResult::Kind::kNotMade, ErrnoText(error));
  // Only a UNIX socket answers so.
  if (error == EAGAIN) return Fail("its backlog is full");
  Fail(error == ECONNRESET || error == EPIPE ? "connection reset" : ErrnoText(error));
}

void Check::Decide(CheckResult::Kind kind, std::string reason) {
  if (decided_) return;
  decided_ = true;
  host_.OnVerdict({kind, std::move(reason), (NowNs() - begun_ns_) / 1000});
}

std::string Check::Silence() const {
  std::string text =
      absl::StrCat("no ", plan_->expected->Text(), " within ", plan_->timeout_ms, " ms");
  if (received_ > 0) absl::StrAppend(&text, ", but ", QuotedBytes(received()));
  return text;
}

}  // namespace l4lb
