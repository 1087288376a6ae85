// SPDX-License-Identifier: Apache-2.0
#include "tools/load/bulk_work.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace l4lb::load {
namespace {

// Calls in a row before other streams have their turn.
constexpr int kMostCalls = 8;

}  // namespace

BulkStream::BulkStream(BulkWork& work, uint64_t key) : work_(work), key_(key) {}

bool BulkStream::sends() const { return work_.options().direction != Direction::kDown; }
bool BulkStream::receives() const { return work_.options().direction != Direction::kUp; }

Ask BulkStream::ToAsk() const {
  const Options& options = work_.options();
  Ask ask = {.mode = Mode::kBoth, .verify = options.verify, .key = key_};
  if (!receives()) ask.mode = Mode::kSink;
  if (!sends()) ask.mode = Mode::kSource;
  if (receives()) ask.limit = static_cast<uint64_t>(options.bytes);
  return ask;
}

void BulkStream::OnConnected() { work_.OnMemberOpen(); }

void BulkStream::OnDialFailed(int error) {
  work_.OnMemberDialFailed(error);
  work_.AbandonOperations();
}

void BulkStream::Begin(int64_t now_ns) {
  begun_ns_ = now_ns;
  if (work_.options().ask) {
    const Ask::Bytes ask = ToAsk().ToBytes();
    if (Send(ask.data(), ask.size()).bytes != ask.size()) {
      work_.Fail(Failure::reset, "closed by the far end before the first byte");
      return Lose();
    }
  }
  Continue();
}

void BulkStream::Continue() { OnEvents(EPOLLIN | EPOLLOUT); }

void BulkStream::OnEvents(uint32_t events) {
  if (begun_ns_ == 0) return;  // Begin() looks at everything.
  more_ = false;
  if ((events & EPOLLOUT) != 0 && sends() && !sending_over_) SendSome();
  if (open() && (events & ~uint32_t{EPOLLOUT}) != 0) ReceiveSome();
}

void BulkStream::SendSome() {
  const uint64_t limit =
      work_.options().bytes > 0 ? static_cast<uint64_t>(work_.options().bytes) : UINT64_MAX;
  for (int calls = 0; sent_ < limit; ++calls) {
    if (calls == kMostCalls) {
      more_ = true;
      return;
    }
    const size_t run = std::min<uint64_t>(limit - sent_, Pattern::kRun);
    const Moved moved = Send(work_.pattern().At(key_, sent_), run);
    if (moved.error == EAGAIN) return;
    if (moved.error != 0) {
      work_.FailOfErrno(moved.error, "send");
      return Lose();
    }
    sent_ += moved.bytes;
    Live::Add(work_.live().bytes_up, moved.bytes);
  }
  FinishSending();
}

void BulkStream::FinishSending() {
  sending_over_ = true;
  Finish();
}

void BulkStream::ReceiveSome() {
  const bool looks = (receives() && work_.options().verify) || work_.wants_verdict();
  for (int calls = 0; open(); ++calls) {
    if (calls == kMostCalls) {
      more_ = true;
      return;
    }
    const Moved moved =
        looks ? Receive(work_.scratch(), Work::kScratch) : Drop(work_.scratch(), Work::kScratch);
    if (moved.error == EAGAIN) return;
    if (moved.error != 0) {
      work_.FailOfErrno(moved.error, "receive");
      return Lose();
    }
    if (moved.end) return OnFarEnd();
    OnBytes(moved.bytes);
  }
}

void BulkStream::OnBytes(size_t bytes) {
  if (!receives()) return OnVerdict(bytes);
  Live::Add(work_.live().bytes_down, bytes);
  if (work_.options().verify && work_.FailIfWrong(key_, received_, work_.scratch(), bytes)) {
    return Lose();
  }
  received_ += bytes;
  const uint64_t limit = static_cast<uint64_t>(work_.options().bytes);
  // A raw source does not know when it is enough.
  if (limit > 0 && received_ >= limit && !work_.options().ask && !sends()) Complete();
}

void BulkStream::OnVerdict(size_t bytes) {
  if (!work_.wants_verdict() || verdict_size_ + bytes > verdict_.size()) {
    work_.Fail(Failure::wrong_bytes, absl::StrCat("stream ", key_, ": bytes nobody asked for"));
    return Lose();
  }
  std::copy_n(work_.scratch(), bytes, verdict_.begin() + verdict_size_);
  verdict_size_ += bytes;
}

void BulkStream::OnFarEnd() {
  const Verdict verdict = Verdict::FromBytes(verdict_);
  const uint64_t limit = static_cast<uint64_t>(work_.options().bytes);
  const bool is_short = receives() && limit > 0 && received_ != limit;
  if ((sends() && !sending_over_) || (is_short && !work_.ended()) ||
      (work_.wants_verdict() && verdict_size_ != verdict_.size())) {
    work_.Fail(Failure::closed_early,
               absl::StrCat("stream ", key_, ": closed by the far end after ", sent_,
                            " bytes up and ", received_, " down"));
    return Lose();
  }
  if (work_.wants_verdict() && verdict.first_wrong != Verdict::kAllRight) {
    work_.Fail(Failure::wrong_bytes, absl::StrCat("stream ", key_, ", position ",
                                                  verdict.first_wrong, ": wrong at the backend"));
    return Lose();
  }
  if (work_.wants_verdict() && verdict.received != sent_) {
    work_.Fail(Failure::wrong_bytes, absl::StrCat("stream ", key_, ": the backend got ",
                                                  verdict.received, " of ", sent_, " bytes"));
    return Lose();
  }
  Complete();
}

void BulkStream::Complete() {
  Close();
  work_.OnMemberClosed();
  work_.EndOperation(begun_ns_, NowNs());
}

void BulkStream::Lose() {
  Close();
  work_.OnMemberClosed();
  work_.AbandonOperations();
}

void BulkStream::End() {
  if (!open()) return;
  if (sends() && !sending_over_) FinishSending();
  // What comes down is without end unless it follows what goes up.
  if (!sends()) Complete();
}

BulkWork::BulkWork(const Options& options, const Pattern& pattern, Share share,
                   std::atomic<bool>& stop)
    : FleetWork(options, pattern, share, stop) {
  for (int64_t i = 0; i < share.Part(options.connections); ++i) {
    // A raw source knows one stream only.
    const int64_t key = options.ask ? 1 + share.index + i * share.of : 0;
    streams_.push_back(std::make_unique<BulkStream>(*this, static_cast<uint64_t>(key)));
  }
}

void BulkWork::Begin() {
  for (const auto& stream : streams_) {
    if (stream->open()) stream->Begin(window().begin_ns);
  }
}

int64_t BulkWork::OnTurn(int64_t now_ns) {
  bool more = false;
  for (const auto& stream : streams_) {
    if (stream->open() && stream->wants_to_continue()) stream->Continue();
    more = more || (stream->open() && stream->wants_to_continue());
  }
  return more ? now_ns : kNever;
}

void BulkWork::End() {
  for (const auto& stream : streams_) stream->End();
}

bool BulkWork::Idle() const {
  return std::none_of(streams_.begin(), streams_.end(),
                      [](const auto& stream) { return stream->open(); });
}

void BulkWork::GiveUp(int64_t /*now_ns*/) {
  for (const auto& stream : streams_) {
    if (!stream->open()) continue;
    if (!stopped()) Fail(Failure::unanswered, "a stream that had no end");
    stream->Close();
  }
}

}  // namespace l4lb::load
