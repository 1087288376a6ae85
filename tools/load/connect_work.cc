// SPDX-License-Identifier: Apache-2.0
#include "tools/load/connect_work.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace l4lb::load {
namespace {

constexpr int64_t kRetryEveryNs = 10 * kNsPerMs;

}  // namespace

ConnectSlot::ConnectSlot(ConnectWork& work)
    : work_(work), size_(static_cast<uint64_t>(work.options().size)) {}

void ConnectSlot::Next() {
  waits_to_retry_ = false;
  if (!work_.BeginOperation()) return;
  received_ = 0;
  if (int error = Dial(work_.dialer(), work_.loop())) OnDialFailed(error);
}

void ConnectSlot::OnConnected() {
  Live::Add(work_.live().open, 1);
  const char* request = work_.pattern().At(0, 0);
  key_ = 0;
  if (work_.options().ask) {
    key_ = work_.NextKey();
    const Ask ask = {.mode = Mode::kAnswer,
                     .close_first = work_.options().closer == Closer::kBackend,
                     .size = static_cast<uint32_t>(size_),
                     .key = key_};
    const Ask::Bytes bytes = ask.ToBytes();
    std::memcpy(work_.scratch(), work_.pattern().At(key_, 0), size_);
    std::memcpy(work_.scratch(), bytes.data(), bytes.size());
    request = work_.scratch();
  }
  const Moved moved = Send(request, size_);
  Live::Add(work_.live().bytes_up, moved.bytes);
  if (moved.bytes == size_) return;
  work_.FailOfErrno(moved.error != 0 ? moved.error : ENOBUFS, "send");
  Lose();
}

void ConnectSlot::OnDialFailed(int error) {
  work_.FailOfErrno(error, "connect");
  work_.AbandonOperations();
  waits_to_retry_ = true;
}

void ConnectSlot::OnEvents(uint32_t /*events*/) {
  while (open()) {
    const Moved moved = Receive(work_.scratch(), Work::kReadSize);
    if (moved.error == EAGAIN) return;
    if (moved.error != 0) {
      work_.FailOfErrno(moved.error, "receive");
      return Lose();
    }
    if (moved.end && received_ == size_) return Done();
    if (moved.end) {
      work_.Fail(Failure::closed_early, absl::StrCat("closed by the far end after ", received_,
                                                     " of ", size_, " bytes of the answer"));
      return Lose();
    }
    if (!OnBytes(moved.bytes)) return Lose();
    if (received_ == size_ && work_.options().closer == Closer::kClient) return Done();
  }
}

bool ConnectSlot::OnBytes(size_t bytes) {
  Live::Add(work_.live().bytes_down, bytes);
  if (work_.options().verify && work_.FailIfWrong(key_, received_, work_.scratch(), bytes)) {
    return false;
  }
  received_ += bytes;
  if (received_ <= size_) return true;
  work_.Fail(Failure::wrong_bytes,
             absl::StrCat("stream ", key_, ": ", received_, " bytes of answer instead of ", size_));
  return false;
}

void ConnectSlot::Done() {
  if (work_.options().linger_reset) {
    Reset();
  } else {
    Close();
  }
  Live::Add(work_.live().open, static_cast<uint64_t>(-1));
  work_.EndOperation(dialed_ns(), NowNs());
  Next();
}

void ConnectSlot::Lose() {
  Close();
  Live::Add(work_.live().open, static_cast<uint64_t>(-1));
  work_.AbandonOperations();
  waits_to_retry_ = true;
}

ConnectWork::ConnectWork(const Options& options, const Pattern& pattern, Share share,
                         std::atomic<bool>& stop)
    : Work(options, pattern, share, stop) {
  for (int64_t i = 0; i < share.Part(options.connections); ++i) {
    slots_.push_back(std::make_unique<ConnectSlot>(*this));
  }
}

void ConnectWork::Begin() {
  for (const auto& slot : slots_) slot->Next();
}

int64_t ConnectWork::OnTurn(int64_t now_ns) {
  if (now_ns < look_again_ns_) return look_again_ns_;
  look_again_ns_ = now_ns + kRetryEveryNs;
  const int64_t before_ns = now_ns - options().connect_timeout_ms * kNsPerMs;
  for (const auto& slot : slots_) {
    slot->GiveUpDialing(before_ns);
    if (slot->waits_to_retry()) slot->Next();
  }
  return look_again_ns_;
}

bool ConnectWork::Idle() const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [](const auto& slot) { return slot->state() == Connection::State::kClosed; });
}

void ConnectWork::GiveUp(int64_t now_ns) {
  for (const auto& slot : slots_) {
    if (slot->state() == Connection::State::kClosed) continue;
    if (!stopped()) {
      Fail(Failure::unanswered, "no answer until the end");
      RecordLatency(slot->dialed_ns(), now_ns);
    }
    slot->Close();
  }
}

}  // namespace l4lb::load
