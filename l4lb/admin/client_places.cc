// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/client_places.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace l4lb {

bool ClientPlaces::MakeRoom() {
  const std::lock_guard lock(mutex_);
  if (ending_ >= limits_.ending) return false;
  if (places_.size() - ending_ < limits_.places) return true;
  return EndLongest(State::kWaiting) || EndLongest(State::kAnswering);
}

void ClientPlaces::Add(int fd, std::string source, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  // An entry of this fd is left over when libmicrohttpd lacked memory for the connection.
  places_[fd] = {
      .source = std::move(source), .order = ++order_, .deadline_ms = now_ms + limits_.request_ms};
}

void ClientPlaces::Begin(int fd) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(fd);
  if (place != places_.end()) place->second.state = State::kWaiting;
}

void ClientPlaces::Remove(int fd) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(fd);
  if (place == places_.end()) return;
  if (place->second.state == State::kEnding) --ending_;
  answer_bytes_ -= place->second.bytes;
  places_.erase(place);
}

void ClientPlaces::ReceivesBody(int fd, int64_t now_ms) {
  Enter(fd, {.state = State::kWaiting, .deadline_ms = now_ms + limits_.body_ms});
}

void ClientPlaces::Works(int fd) { Enter(fd, {.state = State::kWorking}); }

void ClientPlaces::Answers(int fd, size_t bytes, int64_t now_ms) {
  Enter(fd, {.state = State::kAnswering,

             .deadline_ms = now_ms + limits_.answer_ms,
             .bytes = static_cast<int64_t>(bytes)});
  const std::lock_guard lock(mutex_);
  while (answer_bytes_ > limits_.answer_bytes && EndLongest(State::kAnswering)) {
  }
}

void ClientPlaces::WaitsForRequest(int fd, int64_t now_ms) {
  Enter(fd, {.state = State::kWaiting, .deadline_ms = now_ms + limits_.request_ms});
}

void ClientPlaces::Enter(int fd, const Change& change) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(fd);
  if (found == places_.end() || found->second.state == State::kEnding) return;
  Place& place = found->second;
  answer_bytes_ += change.bytes - place.bytes;
  place.state = change.state;
  place.order = ++order_;
  place.bytes = change.bytes;
  place.deadline_ms = change.deadline_ms;
}

void ClientPlaces::End(int fd, Place* place) {
  // Remove() comes before the socket is closed, and waits for the lock: so it is still this one.
  ::shutdown(fd, SHUT_RDWR);
  answer_bytes_ -= place->bytes;
  place->bytes = 0;
  place->state = State::kEnding;
  place->deadline_ms = kNever;
  ++ending_;
}

bool ClientPlaces::EndLongest(State state) {
  auto best = places_.end();
  std::pair<size_t, uint64_t> best_rank;  // How many its source has, and its order.
  for (auto place = places_.begin(); place != places_.end(); ++place) {
    if (place->second.state != state) continue;
    const std::pair rank = {CountOf(place->second.source), place->second.order};
    const bool more = rank.first > best_rank.first;
    const bool older = rank.first == best_rank.first && rank.second < best_rank.second;
    if (best != places_.end() && !more && !older) continue;
    best = place;
    best_rank = rank;
  }
  if (best == places_.end()) return false;
  End(best->first, &best->second);
  return true;
}

size_t ClientPlaces::CountOf(const std::string& source) const {
  return static_cast<size_t>(std::count_if(places_.begin(), places_.end(), [&](const auto& entry) {
    return entry.second.source == source && entry.second.state != State::kEnding;
  }));
}

int64_t ClientPlaces::EndLate(int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  int64_t next_ms = kNever;
  for (auto entry = places_.begin(); entry != places_.end();) {
    Place& place = entry->second;
    const bool late = place.deadline_ms <= now_ms;
    if (late && place.state == State::kNew) {  // Never begun, and the fd may be another's by now.
      places_.erase(entry++);
      continue;
    }
    if (late) End(entry->first, &place);
    next_ms = std::min(next_ms, place.deadline_ms);
    ++entry;
  }
  return next_ms;
}

size_t ClientPlaces::size() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

bool ClientPlaces::busy() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(places_.begin(), places_.end(), [](const auto& entry) {
    return entry.second.state == State::kWorking || entry.second.state == State::kAnswering;
  });
}

}  // namespace l4lb
