// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/tcp_clients.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "l4lb/net/unique_fd.h"
#include "tools/kit/dial.h"
#include "tools/lab/tcp_backends.h"

namespace l4lb::lab {
namespace {

constexpr int64_t kPatienceNs = 60 * kit::kNsPerSecond;  // For answers after the last request.

size_t Place(int number) { return static_cast<size_t>(number); }

std::array<char, kRequestBytes> RequestOf(double cost) {
  std::array<char, kRequestBytes> bytes = {kRequest};
  const auto units = static_cast<uint64_t>(cost * kCostUnit);
  std::memcpy(bytes.data() + 1, &units, sizeof units);
  return bytes;
}

}  // namespace

class TcpClients::Connection final : public kit::Watcher {
 public:
  Connection(TcpClients* clients, int64_t due_ns, double cost, size_t place)
      : place_(place), clients_(clients), due_ns_(due_ns), request_(RequestOf(cost)) {}

  int64_t due_ns() const { return due_ns_; }

  void Begin(const SocketAddress& target) {
    int error = kit::Dial(target, nullptr, &fd_);
    if (error == 0) error = clients_->loop_.Watch(fd_.get(), this);
    if (error != 0) Fail(std::strerror(error));
  }

  void OnReady(uint32_t events) override {
    if (!fd_) return;
    if (!is_sent_ && (events & EPOLLOUT) != 0) SendRequest();
    if (fd_ && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) ReadAnswer();
  }

  void GiveUp() {
    if (fd_) Fail("no answer in time");
  }

  size_t place_;  // In connections_.

 private:
  // Into an empty send buffer: it takes all of it.
  void SendRequest() {
    is_sent_ = true;
    if (send(fd_.get(), request_.data(), request_.size(), MSG_NOSIGNAL) < 0) {
      Fail(std::strerror(errno));
    }
  }
  void ReadAnswer() {
    unsigned char backend;
    const ssize_t count = recv(fd_.get(), &backend, 1, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count == 1) {
      clients_->OnAnswered(*this, backend);
      Close();
    } else {
      Fail(count == 0 ? "closed without an answer" : std::strerror(errno));
    }
  }
  void Fail(const char* what) {
    clients_->OnFailed(*this, what);
    Close();
  }
  void Close() {
    fd_.Reset();
    clients_->OnOver(this);
  }

  TcpClients* const clients_;
  const int64_t due_ns_;
  const std::array<char, kRequestBytes> request_;
  UniqueFd fd_;
  bool is_sent_ = false;
};

Seen::Part Seen::Whole() const {
  Part whole;
  for (const Part& part : parts) {
    whole.latency_ns.Merge(part.latency_ns);
    whole.failed += part.failed;
    whole.requests.resize(std::max(whole.requests.size(), part.requests.size()));
    for (size_t i = 0; i < part.requests.size(); ++i) whole.requests[i] += part.requests[i];
  }
  return whole;
}

TcpClients::TcpClients(const World& world, uint64_t seed, std::vector<SocketAddress> targets)
    : world_(world),
      workload_(world, seed),
      choices_(StreamOf(seed, Stream::kChoices)),
      targets_(std::move(targets)) {
  seen_.parts.resize(kParts);
  for (Seen::Part& part : seen_.parts) part.requests.resize(Place(world.all_backends()));
}

TcpClients::~TcpClients() = default;

Seen TcpClients::Run(int64_t begin_ns, const std::atomic<bool>& stop) {
  measure_ns_ = begin_ns + world_.warmup_ms * kit::kNsPerMs;
  end_ns_ = measure_ns_ + world_.duration_ms * kit::kNsPerMs;
  int64_t due_ns = begin_ns + workload_.NextGapNs();
  while (!stop) {
    const bool sending = due_ns < end_ns_;
    if (!sending && (connections_.empty() || kit::NowNs() > end_ns_ + kPatienceNs)) break;
    if (sending && due_ns <= kit::NowNs()) {
      Send(due_ns);
      due_ns += workload_.NextGapNs();
    } else {
      loop_.Turn(sending ? due_ns : kit::NowNs() + kit::kNsPerSecond);
    }
    RemoveOver();
  }
  for (const auto& connection : connections_) connection->GiveUp();
  RemoveOver();
  return std::move(seen_);
}

void TcpClients::Send(int64_t due_ns) {
  connections_.push_back(
      std::make_unique<Connection>(this, due_ns, workload_.NextCost(), connections_.size()));
  Connection& connection = *connections_.back();
  seen_.late_ns.Record(static_cast<uint64_t>(kit::NowNs() - due_ns));
  const auto count = static_cast<uint32_t>(targets_.size());
  connection.Begin(targets_[count > 1 ? choices_.Below(count) : 0]);
}

// Null for what is not measured.
Seen::Part* TcpClients::PartOf(int64_t due_ns) {
  if (due_ns < measure_ns_) return nullptr;
  const int64_t part = (due_ns - measure_ns_) * kParts / (end_ns_ - measure_ns_);
  return &seen_.parts[static_cast<size_t>(std::min<int64_t>(part, kParts - 1))];
}

void TcpClients::OnAnswered(const Connection& connection, int backend) {
  Seen::Part* part = PartOf(connection.due_ns());
  if (part == nullptr) return;
  part->latency_ns.Record(static_cast<uint64_t>(kit::NowNs() - connection.due_ns()));
  if (Place(backend) < part->requests.size()) ++part->requests[Place(backend)];
}

void TcpClients::OnFailed(const Connection& connection, const std::string& what) {
  if (Seen::Part* part = PartOf(connection.due_ns())) ++part->failed;
  if (seen_.first_failure.empty()) seen_.first_failure = what;
}

void TcpClients::RemoveOver() {
  for (Connection* connection : over_) {
    const size_t place = connection->place_;
    std::swap(connections_[place], connections_.back());
    connections_[place]->place_ = place;
    connections_.pop_back();
  }
  over_.clear();
}

}  // namespace l4lb::lab
