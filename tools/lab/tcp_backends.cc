// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/tcp_backends.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "l4lb/net/socket_address.h"

namespace l4lb::lab {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr int64_t kTurnNs = 5'000'000;  // How soon a stop, or the database's recovery, is noticed.

size_t Place(int number) { return static_cast<size_t>(number); }

SocketAddress AnyLoopbackPort() {
  SocketAddress address;
  std::string error;
  CHECK(SocketAddress::Parse("127.0.0.1:0", &address, &error)) << error;
  return address;
}

}  // namespace

// A request or a check, as one connection.
class TcpBackends::Connection final : public kit::Watcher {
 public:
  Connection(TcpBackends* all, int backend, UniqueFd fd, size_t place)
      : place_(place), all_(all), backend_(backend), fd_(std::move(fd)) {}

  /// In means of the backend.
  double cost() const {
    uint64_t units;
    std::memcpy(&units, buffer_.data() + 1, sizeof units);
    return static_cast<double>(units) / kCostUnit;
  }

  // Once the request is whole, only Answer() touches the connection: it is served even if nobody
  // waits for it any more.
  void OnReady(uint32_t) override {
    if (is_whole_) return;
    const ssize_t count = recv(fd_.get(), buffer_.data() + size_, buffer_.size() - size_, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return Close();
    size_ += static_cast<size_t>(count);
    Look();
  }

  /// Sends the answer and a FIN.
  void Answer(absl::string_view answer) {
    (void)!send(fd_.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    Close();
  }

  /// When the request was read; CLOCK_MONOTONIC.
  int64_t arrived_ns() const { return arrived_ns_; }

  size_t place_;  // In connections_.

 private:
  void Look() {
    is_whole_ = buffer_[0] != kRequest || size_ == buffer_.size();
    if (!is_whole_) return;
    arrived_ns_ = all_->loop_.now_ns();
    if (buffer_[0] == kRequest) return all_->Enqueue(this, backend_);
    if (buffer_[0] == kCheckDatabase) return all_->waiting_checks_.push_back(this);
    Answer(kCheckAnswer);
  }
  void Close() {
    is_whole_ = true;
    fd_.Reset();
    all_->OnOver(this);
  }

  TcpBackends* const all_;
  const int backend_;
  UniqueFd fd_;
  bool is_whole_ = false;
  int64_t arrived_ns_ = 0;
  std::array<char, kRequestBytes> buffer_;
  size_t size_ = 0;
};

class TcpBackends::Listener final : public kit::Watcher {
 public:
  Listener(TcpBackends* all, int backend, UniqueFd fd)
      : all_(all), backend_(backend), fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  void OnReady(uint32_t) override { all_->Accept(fd_.get(), backend_); }

 private:
  TcpBackends* const all_;
  const int backend_;
  const UniqueFd fd_;
};

absl::StatusOr<std::unique_ptr<TcpBackends>> TcpBackends::Start(const World& world) {
  auto backends = std::unique_ptr<TcpBackends>(new TcpBackends);
  const absl::Status status = backends->Listen(world);
  if (!status.ok()) return status;
  backends->thread_ = std::thread([self = backends.get()] { self->Run(); });
  return backends;
}

absl::Status TcpBackends::Listen(const World& world) {
  departures_ = std::make_unique<Departures>(world.all_backends());
  for (int i = 0; i < world.all_backends(); ++i) {
    auto fd = l4lb::Listen(AnyLoopbackPort(), {});
    if (!fd.ok()) return fd.status();
    backends_.push_back({.mean_ns = world.mean_ms_of(i) * kNsPerMs});
    addresses_.push_back(LocalAddress(fd->get()).ToString());
    listeners_.push_back(std::make_unique<Listener>(this, i, *std::move(fd)));
    const int error = loop_.WatchLevel(listeners_.back()->fd(), listeners_.back().get());
    if (error != 0) {
      return absl::InternalError(absl::StrCat("cannot watch a listener: ", std::strerror(error)));
    }
  }
  return absl::OkStatus();
}

TcpBackends::~TcpBackends() { Stop(); }

const Histogram& TcpBackends::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  return timer_error_ns_;
}

void TcpBackends::Run() {
  while (!stop_) {
    loop_.Turn(std::min(departures_->first_ns(), kit::NowNs() + kTurnNs));
    while (departures_->first_ns() <= kit::NowNs()) FinishFirst();
    if (!database_slow_) AnswerWaitingChecks();
    RemoveOver();
  }
}

void TcpBackends::Accept(int listener, int backend) {
  while (true) {
    UniqueFd fd(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) return;
    const int number = fd.get();
    auto connection =
        std::make_unique<Connection>(this, backend, std::move(fd), connections_.size());
    if (loop_.Watch(number, connection.get()) == 0) connections_.push_back(std::move(connection));
  }
}

void TcpBackends::Enqueue(Connection* connection, int backend) {
  backends_[Place(backend)].queue.push_back(connection);
  if (backends_[Place(backend)].queue.size() == 1) Serve(backend, loop_.now_ns());
}

void TcpBackends::Serve(int backend, int64_t from_ns) {
  const auto& queue = backends_[Place(backend)].queue;
  if (queue.empty()) return departures_->Set(backend, Departures::kNever);
  const double cost_ns = queue.front()->cost() * backends_[Place(backend)].mean_ns;
  departures_->Set(backend, from_ns + static_cast<int64_t>(cost_ns + 0.5));
}

// The next one is served from when this one should have been done, if it was there: a late timer
// costs one answer a little, and the backend nothing.
void TcpBackends::FinishFirst() {
  const int backend = departures_->first();
  const int64_t planned_ns = departures_->first_ns();
  Connection* const connection = backends_[Place(backend)].queue.front();
  backends_[Place(backend)].queue.pop_front();
  const char answer = static_cast<char>(backend);
  connection->Answer({&answer, 1});
  timer_error_ns_.Record(static_cast<uint64_t>(kit::NowNs() - planned_ns));
  const auto& queue = backends_[Place(backend)].queue;
  Serve(backend, queue.empty() ? planned_ns : std::max(planned_ns, queue.front()->arrived_ns()));
}

void TcpBackends::AnswerWaitingChecks() {
  for (Connection* check : std::exchange(waiting_checks_, {})) check->Answer(kCheckAnswer);
}

void TcpBackends::RemoveOver() {
  for (Connection* connection : over_) {
    const size_t place = connection->place_;
    std::swap(connections_[place], connections_.back());
    connections_[place]->place_ = place;
    connections_.pop_back();
  }
  over_.clear();
}

}  // namespace l4lb::lab
