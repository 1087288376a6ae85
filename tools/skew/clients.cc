// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/clients.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "tools/kit/dial.h"
#include "tools/skew/random.h"

namespace l4lb::skew {
namespace {

constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kLook = std::chrono::milliseconds(5);
constexpr uint64_t kStreams = 1 << 20;  // Far from those of the backends.

}  // namespace

Clients::Clients(const Options& options, const Schedule& schedule,
                 const std::vector<SocketAddress>& targets, int64_t origin_ns)
    : schedule_(schedule),
      origin_ns_(origin_ns),
      thread_(*this),
      last_ns_(origin_ns + schedule.end_ns()) {
  const std::vector<SocketAddress> sources = kit::LoopbackAddresses(options.clients);
  const double gap_ns = options.clients * static_cast<double>(kit::kNsPerSecond) / options.rate;
  // One after the other, half of the time until it counts.
  const int64_t connect_ns = schedule.SpanOf(Part::kBefore).from_ns / 2;
  for (int i = 0; i < options.clients; ++i) {
    const auto stream = kStreams + static_cast<uint64_t>(i);
    ClientHost& host = *this;
    clients_.push_back(std::make_unique<Client>(host, i, sources[static_cast<size_t>(i)],
                                                ExponentialTimes(options.seed, stream, gap_ns)));
    const int64_t begin_ns = origin_ns + connect_ns * i / options.clients;
    for (const SocketAddress& target : targets) clients_.back()->AddTarget(target, begin_ns);
    due_.push({begin_ns + clients_.back()->NextGapNs(), Deed::kSend, i, 0});
  }
  thread_.Start();
}

Clients::~Clients() { thread_.Stop(); }

void Clients::AddTarget(const SocketAddress& target) {
  thread_.Post([this, target] {
    for (const auto& client : clients_) client->AddTarget(target, kit::NowNs());
  });
}

void Clients::RemoveTarget(const SocketAddress& target) {
  thread_.Post([this, target] {
    for (const auto& client : clients_) client->RemoveTarget(target);
  });
}

ClientTally Clients::Finish() {
  thread_.Post([this] { last_ns_ = std::min(last_ns_, kit::NowNs()); });
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  do {
    std::this_thread::sleep_for(kLook);
  } while (unanswered_ > 0 && std::chrono::steady_clock::now() < deadline);
  thread_.Stop();
  tally_.errors += Unanswered();
  clients_.clear();
  return std::move(tally_);
}

uint64_t Clients::Unanswered() const {
  uint64_t unanswered = 0;
  for (const auto& client : clients_) unanswered += client->unanswered();
  return unanswered;
}

Histogram& Clients::LatenciesOf(int64_t due_ns) {
  return tally_.latency_ns[static_cast<size_t>(schedule_.At(due_ns - origin_ns_))];
}

void Clients::DialAt(int64_t ns, int client, int link) {
  due_.push({ns, Deed::kDial, client, link});
}

void Clients::Bury(std::unique_ptr<ClientConnection> connection) {
  buried_.push_back(std::move(connection));
}

int64_t Clients::NextNs() const { return due_.empty() ? INT64_MAX : due_.top().ns; }

void Clients::DoDue(int64_t now_ns) {
  buried_.clear();
  while (!due_.empty() && due_.top().ns <= now_ns) {
    const Due due = due_.top();
    due_.pop();
    if (due.deed == Deed::kDial) {
      clients_[static_cast<size_t>(due.client)]->Dial(due.link);
    } else {
      Send(due.client, due.ns);
    }
  }
  if (now_ns >= last_ns_) unanswered_ = Unanswered();
}

void Clients::Send(int client, int64_t scheduled_ns) {
  if (scheduled_ns >= last_ns_) return;
  Client& sender = *clients_[static_cast<size_t>(client)];
  ++tally_.sent;
  sender.Ask({.scheduled_ns = scheduled_ns});
  due_.push({scheduled_ns + sender.NextGapNs(), Deed::kSend, client, 0});
}

}  // namespace l4lb::skew
