// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/timer_wheel.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace l4lb {
namespace {

void PushFront(Timer*& head, Timer& timer) {
  timer.next = head;
  timer.link = &head;
  if (head != nullptr) head->link = &timer.next;
  head = &timer;
}

// Merges two lists in order of time; only `next` is valid afterwards.
Timer* Merge(Timer* a, Timer* b) {
  Timer* head = nullptr;
  Timer** tail = &head;
  while (a != nullptr && b != nullptr) {
    Timer*& first = a->at_ms <= b->at_ms ? a : b;
    *tail = first;
    tail = &first->next;
    first = *tail;
  }
  *tail = a != nullptr ? a : b;
  return head;
}

Timer* SortLinks(Timer* head) {
  if (head == nullptr || head->next == nullptr) return head;
  Timer* middle = head;
  for (Timer* end = head->next; end != nullptr && end->next != nullptr; end = end->next->next) {
    middle = middle->next;
  }
  Timer* second = std::exchange(middle->next, nullptr);
  return Merge(SortLinks(head), SortLinks(second));
}

Timer* SortByTime(Timer* list) {
  list = SortLinks(list);
  for (Timer* timer = list; timer != nullptr && timer->next != nullptr; timer = timer->next) {
    timer->next->link = &timer->next;
  }
  return list;
}

}  // namespace

static_assert(sizeof(Timer) <= 48, "three or four of them are in every session");

TimerWheel::TimerWheel(int64_t now_ms)
    : now_ms_(std::max<int64_t>(now_ms, 0)), position_(now_ms_) {}

void TimerWheel::Arm(Timer& timer, int64_t at_ms) {
  if (timer.armed()) {
    Unlink(timer);
  } else {
    ++size_;
  }
  timer.at_ms = at_ms;
  if (at_ms <= now_ms_) {
    PushFront(overdue_, timer);
  } else {
    Insert(timer);
  }
}

void TimerWheel::Disarm(Timer& timer) {
  if (!timer.armed()) return;
  Unlink(timer);
  --size_;
}

void TimerWheel::Insert(Timer& timer) {
  const uint64_t at = static_cast<uint64_t>(timer.at_ms);
  const uint64_t differing = (at ^ static_cast<uint64_t>(position_)) | 1;
  const int level = (std::bit_width(differing) - 1) / kSlotBits;
  const int slot = static_cast<int>((at >> (level * kSlotBits)) % kSlots);
  PushFront(slots_[level * kSlots + slot], timer);
  occupied_[level] |= uint64_t{1} << slot;
  levels_ |= 1u << level;
}

void TimerWheel::Unlink(Timer& timer) {
  *timer.link = timer.next;
  if (timer.next != nullptr) timer.next->link = timer.link;
  // The last one of a slot clears its bits.  `link` is elsewhere for a timer that is not the first
  // of its list, is overdue or is about to fire.
  const uintptr_t offset =
      reinterpret_cast<uintptr_t>(timer.link) - reinterpret_cast<uintptr_t>(slots_.data());
  if (timer.next == nullptr && offset < sizeof(slots_)) {
    const size_t index = offset / sizeof(Timer*);
    uint64_t& occupied = occupied_[index / kSlots];
    occupied &= ~(uint64_t{1} << (index % kSlots));
    if (occupied == 0) levels_ &= ~(1u << (index / kSlots));
  }
  timer.next = nullptr;
  timer.link = nullptr;
}

void TimerWheel::Fire(Timer* due) {
  if (due != nullptr) due->link = &due;
  while (due != nullptr) {
    Timer& timer = *due;
    Disarm(timer);
    timer.expired(timer);
  }
}

void TimerWheel::Cascade(Timer* timers) {
  while (timers != nullptr) {
    Timer& timer = *timers;
    timers = timer.next;
    Insert(timer);
  }
}

TimerWheel::Slot TimerWheel::Earliest() const {
  const int level = std::countr_zero(levels_);
  const int index = std::countr_zero(occupied_[level]);
  const int shift = level * kSlotBits;
  // position_ with the level's group set to `index` and all lower ones to zero.
  const uint64_t above = (static_cast<uint64_t>(position_) >> shift) & ~uint64_t{kSlots - 1};
  return {level, index, static_cast<int64_t>((above | static_cast<uint64_t>(index)) << shift)};
}

Timer* TimerWheel::TakeAll(const Slot& slot) {
  occupied_[slot.level] &= ~(uint64_t{1} << slot.index);
  if (occupied_[slot.level] == 0) levels_ &= ~(1u << slot.level);
  return std::exchange(slots_[slot.level * kSlots + slot.index], nullptr);
}

void TimerWheel::Advance(int64_t now_ms) {
  now_ms_ = std::max(now_ms_, now_ms);
  // All of these are earlier than anything in the wheel.
  Fire(SortByTime(std::exchange(overdue_, nullptr)));
  while (levels_ != 0) {
    const Slot slot = Earliest();
    if (slot.start_ms > now_ms_) break;
    position_ = slot.start_ms;
    Timer* timers = TakeAll(slot);
    if (slot.level == 0) {
      Fire(timers);
    } else {
      Cascade(timers);
    }
  }
  position_ = now_ms_;
}

int64_t TimerWheel::NextAt() const {
  if (overdue_ != nullptr) return now_ms_;
  return levels_ == 0 ? kNever : Earliest().start_ms;
}

}  // namespace l4lb
