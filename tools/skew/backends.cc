// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/backends.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "tools/kit/event_loop.h"
#include "tools/skew/http2.h"
#include "tools/skew/names.h"
#include "tools/skew/random.h"

namespace l4lb::skew {

/// A listener and a queue of one server.
struct Backends::Backend final : kit::Watcher {
  Backend(Backends& all, int index, const Options& options)
      : all(all),
        index(index),
        times(options.seed, static_cast<uint64_t>(index),
              static_cast<double>(options.service_ms * kit::kNsPerMs)) {}
  void OnReady(uint32_t) final { all.Accept(index); }

  Backends& all;
  const int index;
  UniqueFd listener;
  ExponentialTimes times;
  int64_t free_ns = 0;  // When it has served all that it has now.
  std::atomic<uint64_t> served = 0;
};

class Backends::Connection final : public Http2Connection {
 public:
  Connection(Backends& all, int backend, uint64_t id, UniqueFd fd)
      : Http2Connection(std::move(fd), Role::kServer), all_(all), backend_(backend), id_(id) {}

  int backend() const { return backend_; }

 private:
  void OnRequest(int32_t stream) final { all_.Serve(backend_, id_, stream); }
  void OnClosed() final { all_.OnClosed(id_); }

  Backends& all_;
  const int backend_;
  const uint64_t id_;  // Also where its lane is.
};

Backends::Backends(const Options& options) : options_(options), thread_(*this) {}

Backends::~Backends() { thread_.Stop(); }

absl::StatusOr<std::unique_ptr<Backends>> Backends::Start(const Options& options) {
  std::unique_ptr<Backends> made(new Backends(options));
  const absl::Status status = made->Listen();
  if (!status.ok()) return status;
  made->thread_.Start();
  return made;
}

absl::Status Backends::Listen() {
  SocketAddress any_port;
  std::string error;
  CHECK(SocketAddress::Parse("127.0.0.1:0", &any_port, &error)) << error;
  for (int i = 0; i < options_.all_backends(); ++i) {
    absl::StatusOr<UniqueFd> listener = l4lb::Listen(any_port, {});
    if (!listener.ok()) return listener.status();
    endpoints_.push_back({.name = BackendName(i), .address = LocalAddress(listener->get())});
    backends_.push_back(std::make_unique<Backend>(*this, i, options_));
    backends_.back()->listener = *std::move(listener);
    thread_.loop().WatchLevel(backends_.back()->listener.get(), backends_.back().get());
  }
  observed_.requests.resize(backends_.size());
  return absl::OkStatus();
}

std::vector<uint64_t> Backends::Served() const {
  std::vector<uint64_t> served;
  for (const auto& backend : backends_) served.push_back(backend->served);
  return served;
}

Observed Backends::Stop() {
  thread_.Stop();
  const int64_t now_ns = kit::NowNs() - origin_ns_;
  for (Lane& lane : observed_.lanes) {
    if (lane.to_ns == 0) lane.to_ns = now_ns;
  }
  return std::move(observed_);
}

void Backends::Accept(int backend) {
  const int listener = backends_[static_cast<size_t>(backend)]->listener.get();
  UniqueFd fd(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) return;
  SetStreamOptions(fd.get());
  const uint64_t id = observed_.lanes.size();
  observed_.lanes.push_back(
      {.backend = backend, .from_ns = thread_.loop().now_ns() - origin_ns_, .requests = {}});
  auto connection = std::make_unique<Connection>(*this, backend, id, std::move(fd));
  if (connection->Start(thread_.loop()) != 0) return;
  connections_.emplace(id, std::move(connection));
}

void Backends::Serve(int backend, uint64_t connection, int32_t stream) {
  Backend& server = *backends_[static_cast<size_t>(backend)];
  server.free_ns = std::max(server.free_ns, thread_.loop().now_ns()) + server.times.Next();
  services_.push({server.free_ns, connection, stream, backend});
}

// What is counted is what was answered: nobody hears what a connection that is gone asked for.
void Backends::Finish(const Service& service) {
  const auto found = connections_.find(service.connection);
  if (found == connections_.end() || found->second->closed()) return;
  Backend& backend = *backends_[static_cast<size_t>(service.backend)];
  found->second->Answer(service.stream, endpoints_[static_cast<size_t>(service.backend)].name);
  found->second->Flush();
  ++backend.served;
  const int64_t step = std::max<int64_t>(0, kit::NowNs() - origin_ns_) / Observed::kStepNs;
  CountAt(observed_.requests[static_cast<size_t>(service.backend)], step);
  Lane& lane = observed_.lanes[service.connection];
  CountAt(lane.requests, step - std::max<int64_t>(0, lane.from_ns) / Observed::kStepNs);
}

void Backends::OnClosed(uint64_t connection) {
  observed_.lanes[connection].to_ns = kit::NowNs() - origin_ns_;
  closed_.push_back(connection);
}

int64_t Backends::NextNs() const { return services_.empty() ? INT64_MAX : services_.top().end_ns; }

void Backends::DoDue(int64_t now_ns) {
  while (!services_.empty() && services_.top().end_ns <= now_ns) {
    const Service service = services_.top();
    services_.pop();
    Finish(service);
  }
  for (const uint64_t connection : closed_) connections_.erase(connection);
  closed_.clear();
}

}  // namespace l4lb::skew
