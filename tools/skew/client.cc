// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/client.h"

#include <algorithm>
#include <utility>

#include "tools/kit/dial.h"

namespace l4lb::skew {
namespace {

constexpr int64_t kRedialNs = 50 * kit::kNsPerMs;

}  // namespace

Client::Client(ClientHost& host, int index, const SocketAddress& source, ExponentialTimes gaps)
    : host_(host),
      index_(index),
      source_(source),
      gaps_(gaps),
      turn_(SplitMix64(static_cast<uint64_t>(index)).Next()) {}

Client::~Client() = default;

void Client::AddTarget(const SocketAddress& target, int64_t dial_ns) {
  links_.push_back({.target = target, .connection = nullptr});
  host_.DialAt(dial_ns, index_, static_cast<int>(links_.size()) - 1);
}

void Client::RemoveTarget(const SocketAddress& target) {
  for (Link& link : links_) {
    if (!(link.target == target)) continue;
    link.leaving = true;
    LeaveWhenDone(link);
  }
}

void Client::LeaveWhenDone(Link& link) {
  if (link.leaving && link.connection != nullptr && link.connection->idle()) {
    host_.Bury(std::move(link.connection));
  }
}

void Client::Dial(int link) {
  Link& dialed = links_[static_cast<size_t>(link)];
  if (dialed.leaving) return;
  dialed.dialed_ns = kit::NowNs();
  UniqueFd fd;
  if (kit::Dial(dialed.target, &source_, &fd) == 0) {
    dialed.connection = std::make_unique<ClientConnection>(*this, link, std::move(fd));
    if (dialed.connection->Start(host_.loop()) == 0) return;
    dialed.connection.reset();
  }
  host_.DialAt(kit::NowNs() + kRedialNs, index_, link);
}

ClientConnection* Client::NextOpen() {
  for (size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[turn_++ % links_.size()];
    if (!link.leaving && link.connection != nullptr && link.connection->open()) {
      return link.connection.get();
    }
  }
  return nullptr;
}

void Client::Ask(Request request) {
  if (request.retries == 0) ++unanswered_;
  if (!SendSomewhere(request)) waiting_.push_back(request);
}

// Each connection may refuse: it has as many streams as it may have, or is about to end.
bool Client::SendSomewhere(const Request& request) {
  for (size_t i = 0; i < links_.size(); ++i) {
    ClientConnection* connection = NextOpen();
    if (connection == nullptr) return false;
    if (connection->Send(request)) return true;
  }
  return false;
}

void Client::OnOpen() {
  std::deque<Request> waiting;
  waiting.swap(waiting_);
  for (const Request& request : waiting) {
    if (!SendSomewhere(request)) waiting_.push_back(request);
  }
}

void Client::OnAnswer(int link, const Request& request) {
  --unanswered_;
  ++host_.tally().answered;
  const int64_t taken_ns = host_.loop().now_ns() - request.scheduled_ns;
  host_.LatenciesOf(request.scheduled_ns)
      .Record(static_cast<uint64_t>(std::max<int64_t>(0, taken_ns)));
  LeaveWhenDone(links_[static_cast<size_t>(link)]);
}

void Client::OnLost(Request request) {
  if (request.retries == kMostRetries) {
    --unanswered_;
    ++host_.tally().errors;
    return;
  }
  ++request.retries;
  ++host_.tally().retries;
  Ask(request);
}

void Client::OnClosed(int link, bool was_open) {
  Link& closed = links_[static_cast<size_t>(link)];
  const int64_t now_ns = host_.loop().now_ns();
  // Who accepts and ends it at once is not to be asked in a busy loop.
  const bool lasted = was_open && now_ns - closed.dialed_ns > kRedialNs;
  if (was_open && !closed.leaving) ++host_.tally().cut;
  host_.Bury(std::move(closed.connection));
  host_.DialAt(lasted ? now_ns : now_ns + kRedialNs, index_, link);
}

bool ClientConnection::Send(const Request& request) {
  const int32_t stream = Submit();
  if (stream < 0) return false;
  asked_.emplace(stream, request);
  Flush();
  return true;
}

void ClientConnection::OnOpen() {
  was_open_ = true;
  client_.OnOpen();
}

void ClientConnection::OnAnswer(int32_t stream, std::string_view, bool good) {
  const auto found = asked_.find(stream);
  if (found == asked_.end()) return;
  const Request request = found->second;
  asked_.erase(found);
  good ? client_.OnAnswer(link_, request) : client_.OnLost(request);
}

void ClientConnection::OnLost(int32_t stream) { OnAnswer(stream, "", false); }

void ClientConnection::OnClosed() {
  absl::flat_hash_map<int32_t, Request> lost;
  lost.swap(asked_);
  for (const auto& [stream, request] : lost) client_.OnLost(request);
  client_.OnClosed(link_, was_open_);
}

}  // namespace l4lb::skew
