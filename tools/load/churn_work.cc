// SPDX-License-Identifier: Apache-2.0
#include "tools/load/churn_work.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace l4lb::load {
namespace {

// How long a slot rests between two sessions, at most.
constexpr int64_t kLookEveryNs = 2 * kNsPerMs;

}  // namespace

ChurnWork::ChurnWork(const Options& options, const Pattern& pattern, Share share,
                     std::atomic<bool>& stop)
    : Work(options, pattern, share, stop) {
  for (int64_t i = 0; i < share.Part(options.connections); ++i) {
    slots_.push_back(std::make_unique<ChurnSession>(*this));
  }
}

uint64_t ChurnWork::NextNumber() {
  return 1 + static_cast<uint64_t>(share().index) + sessions_++ * static_cast<uint64_t>(share().of);
}

void ChurnWork::WakeAt(int64_t when_ns, ChurnSession* session) {
  wakes_.push({when_ns, session, session->number()});
}

void ChurnWork::Begin() {
  for (const auto& slot : slots_) slot->Next();
}

int64_t ChurnWork::OnTurn(int64_t now_ns) {
  while (!wakes_.empty() && wakes_.top().when_ns <= now_ns) {
    const Wake wake = wakes_.top();
    wakes_.pop();
    wake.slot->OnPauseOver(wake.session, now_ns);
  }
  if (now_ns >= look_again_ns_) {
    look_again_ns_ = now_ns + kLookEveryNs;
    const int64_t before_ns = now_ns - options().connect_timeout_ms * kNsPerMs;
    for (const auto& slot : slots_) {
      slot->GiveUpDialing(before_ns);
      if (slot->waits_to_retry()) slot->Next();
    }
  }
  return wakes_.empty() ? look_again_ns_ : std::min(wakes_.top().when_ns, look_again_ns_);
}

bool ChurnWork::Idle() const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [](const auto& slot) { return slot->state() == Connection::State::kClosed; });
}

void ChurnWork::GiveUp(int64_t /*now_ns*/) {
  for (const auto& slot : slots_) {
    if (slot->state() == Connection::State::kClosed) continue;
    if (!stopped()) {
      Fail(Failure::unanswered, absl::StrCat("session ", slot->number(), " had no end"));
    }
    slot->Close();
  }
}

}  // namespace l4lb::load
