// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/round_robin.h"

#include <utility>

namespace l4lb {

RoundRobin::RoundRobin(absl::Span<const uint32_t> weights, PolicyStart start)
    : rotation_(weights, start) {
  SetUp({});
}

void RoundRobin::SetUp(std::vector<int> aside) {
  aside_ = std::move(aside);
  std::vector<bool> is_aside(static_cast<size_t>(rotation_.size()));
  for (const int index : aside_) is_aside[static_cast<size_t>(index)] = true;
  turns_.Clear();
  for (int index = 0; index < rotation_.size(); ++index) {
    if (rotation_.weight(index) == 0 || is_aside[static_cast<size_t>(index)]) continue;
    turns_.Push(index, rotation_.turn(index));
  }
}

void RoundRobin::ContinueFrom(const Policy& previous) {
  const auto* same = dynamic_cast<const RoundRobin*>(&previous);
  if (same == nullptr) return;
  rotation_.ContinueFrom(same->rotation_);
  std::vector<int> aside;
  for (const int index : same->aside_) {
    if (index < rotation_.size() && rotation_.weight(index) > 0) aside.push_back(index);
  }
  SetUp(std::move(aside));
  look_ = same->look_;
}

void RoundRobin::Readmit(const Candidates& candidates, size_t looks) {
  for (; looks > 0 && !aside_.empty(); --looks) {
    if (look_ >= aside_.size()) look_ = 0;
    const int index = aside_[look_];
    if (!candidates.Eligible(index)) {
      ++look_;
      continue;
    }
    aside_[look_] = aside_.back();
    aside_.pop_back();
    rotation_.DropMissed(index);
    turns_.Push(index, rotation_.turn(index));
  }
}

void RoundRobin::SetAsideIneligible(const Candidates& candidates) {
  while (!turns_.empty() && !candidates.Eligible(turns_.earliest())) {
    aside_.push_back(turns_.earliest());
    turns_.RemoveEarliest();
  }
}

int RoundRobin::Serve() {
  const int index = turns_.earliest();
  rotation_.Take(index);
  turns_.MoveEarliest(rotation_.turn(index));
  return index;
}

int RoundRobin::Pick(const Candidates& candidates, uint64_t) {
  Readmit(candidates, kLooksPerPick);
  SetAsideIneligible(candidates);
  if (turns_.empty()) Readmit(candidates, aside_.size());
  return turns_.empty() ? kNone : Serve();
}

}  // namespace l4lb
