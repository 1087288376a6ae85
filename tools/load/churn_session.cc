// SPDX-License-Identifier: Apache-2.0
//
// One session of churn; the loop over all of them is in churn_work.cc.
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "tools/load/churn_work.h"

namespace l4lb::load {
namespace {

constexpr uint64_t kSlowRead = 8 * 1024;
constexpr uint64_t kLongestPauseMs = 10;
constexpr uint64_t kPauseOneIn = 8;  // Of the sends.

bool IsReset(int error) { return error == ECONNRESET || error == EPIPE; }

}  // namespace

void ChurnSession::Next() {
  waits_to_retry_ = false;
  if (!work_.BeginOperation()) return;
  number_ = work_.NextNumber();
  chance_ = Chance(work_.options().seed, number_);
  plan_ = MakeChurnPlan(chance_, work_.options().ask);
  sent_ = received_ = number_left_ = 0;
  can_send_ = can_receive_ = finished_ = false;
  send_pause_ns_ = receive_pause_ns_ = 0;
  if (int error = Dial(work_.dialer(), work_.loop())) OnDialFailed(error);
}

void ChurnSession::OnConnected() {
  Live::Add(work_.live().open, 1);
  Moved moved;
  if (work_.options().ask) {
    Ask ask = {.mode = Mode::kEcho, .key = number_};
    if (plan_.ending == Ending::backend_finished) ask.limit = plan_.limit;
    if (plan_.ending == Ending::backend_reset) {
      ask.limit = plan_.limit;
      ask.fate = Fate::kReset;
    }
    const Ask::Bytes bytes = ask.ToBytes();
    moved = Send(bytes.data(), bytes.size());
  } else {
    std::memcpy(echoed_number_.data(), &number_, sizeof(number_));
    number_left_ = sizeof(number_);
    moved = Send(echoed_number_.data(), echoed_number_.size());
  }
  if (moved.error != 0) return OnSendError(moved.error);
  can_send_ = true;
  Step();
}

void ChurnSession::OnDialFailed(int error) {
  work_.FailOfErrno(error, "connect");
  work_.AbandonOperations();
  waits_to_retry_ = true;
}

void ChurnSession::OnEvents(uint32_t events) {
  if ((events & EPOLLOUT) != 0) can_send_ = true;
  if ((events & ~uint32_t{EPOLLOUT}) != 0) can_receive_ = true;
  Step();
}

void ChurnSession::OnPauseOver(uint64_t session, int64_t /*now_ns*/) {
  if (session == number_ && open()) Step();
}

void ChurnSession::Step() {
  SendSome();
  if (open()) ReceiveSome();
}

void ChurnSession::SendSome() {
  while (can_send_ && !finished_ && NowNs() >= send_pause_ns_) {
    if (sent_ == plan_.bytes) {
      finished_ = true;
      // Who is ended by the other leaves its own direction open.
      if (plan_.ending == Ending::finished || plan_.ending == Ending::finished_slowly) Finish();
      return;
    }
    const uint64_t run =
        std::min({chance_.Between(1, plan_.chunk), plan_.bytes - sent_, uint64_t{Pattern::kRun}});
    const Moved moved = Send(work_.pattern().At(number_, sent_), run);
    if (moved.error == EAGAIN) can_send_ = false;
    if (moved.error != 0 && moved.error != EAGAIN) return OnSendError(moved.error);
    sent_ += moved.bytes;
    Live::Add(work_.live().bytes_up, moved.bytes);
    if (CutShort()) return;
    if (chance_.OneIn(kPauseOneIn)) Pause(&send_pause_ns_);
  }
}

void ChurnSession::Pause(int64_t* until_ns) {
  const uint64_t pause_ms = chance_.Between(1, kLongestPauseMs);
  *until_ns = NowNs() + static_cast<int64_t>(pause_ms) * kNsPerMs;
  work_.WakeAt(*until_ns, this);
}

void ChurnSession::ReceiveSome() {
  const bool slow = plan_.ending == Ending::finished_slowly;
  while (open() && can_receive_ && NowNs() >= receive_pause_ns_) {
    const size_t most = slow ? chance_.Between(1, kSlowRead) : Work::kReadSize;
    const Moved moved = Receive(work_.scratch(), most);
    if (moved.error == EAGAIN) can_receive_ = false;
    if (moved.error != 0 && moved.error != EAGAIN) return OnReceiveError(moved.error);
    if (moved.end) return OnFarEnd();
    if (moved.bytes > 0 && !OnBytes(moved.bytes)) return Lose();
    if (CutShort()) return;
    if (slow && can_receive_) Pause(&receive_pause_ns_);
  }
}

// False when they are wrong.
bool ChurnSession::OnBytes(size_t bytes) {
  Live::Add(work_.live().bytes_down, bytes);
  const char* data = work_.scratch();
  const size_t of_number = std::min(bytes, number_left_);
  if (std::memcmp(data, echoed_number_.data() + echoed_number_.size() - number_left_, of_number) !=
      0) {
    work_.Fail(Failure::wrong_bytes, absl::StrCat(Name(), ": not its own number came back"));
    return false;
  }
  number_left_ -= of_number;
  if (work_.FailIfWrong(number_, received_, data + of_number, bytes - of_number)) return false;
  received_ += bytes - of_number;
  if (received_ <= sent_) return true;
  work_.Fail(Failure::wrong_bytes, absl::StrCat(Name(), ": more came back than was sent"));
  return false;
}

// True when the plan was to end here, and it has.
bool ChurnSession::CutShort() {
  const bool resets = plan_.ending == Ending::client_reset;
  if (!resets && plan_.ending != Ending::client_closed) return false;
  if ((plan_.by_received ? received_ : sent_) < plan_.limit) return false;
  if (resets) Reset();
  Done();
  return true;
}

// A backend that resets is noticed by whatever comes first; so is one that finished and is sent
// more than it reads.
void ChurnSession::OnSendError(int error) {
  can_send_ = false;
  can_receive_ = true;
  finished_ = true;
  if (plan_.ending == Ending::backend_reset && IsReset(error)) return Done();
  work_.FailOfErrno(error, "send");
  Lose();
}

void ChurnSession::OnReceiveError(int error) {
  if (plan_.ending == Ending::backend_reset && IsReset(error) && received_ <= plan_.limit) {
    return Done();
  }
  work_.FailOfErrno(error, "receive");
  Lose();
}

void ChurnSession::OnFarEnd() {
  const bool ours = plan_.ending == Ending::finished || plan_.ending == Ending::finished_slowly;
  if (ours && finished_ && received_ == plan_.bytes) return Done();
  if (plan_.ending == Ending::backend_finished && received_ == plan_.limit) return Done();
  work_.Fail(Failure::closed_early,
             absl::StrCat(Name(), ": closed by the far end after ", received_, " of ",
                          ours ? plan_.bytes : plan_.limit, " bytes came back"));
  Lose();
}

void ChurnSession::Done() {
  Close();
  Live::Add(work_.live().open, static_cast<uint64_t>(-1));
  work_.CountEnding(plan_.ending);
  work_.EndOperation(dialed_ns(), NowNs());
  waits_to_retry_ = true;
}

void ChurnSession::Lose() {
  Close();
  Live::Add(work_.live().open, static_cast<uint64_t>(-1));
  work_.AbandonOperations();
  waits_to_retry_ = true;
}

std::string ChurnSession::Name() const {
  return absl::StrCat("session ", number_, " (to be ",
                      std::string(kEndings[static_cast<size_t>(plan_.ending)].name), ")");
}

}  // namespace l4lb::load
