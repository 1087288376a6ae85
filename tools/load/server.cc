// SPDX-License-Identifier: Apache-2.0
#include "tools/load/server.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <utility>

#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "tools/load/served_connection.h"

namespace l4lb::load {
namespace {

class Waker final : public Watcher {
 public:
  void OnReady(uint32_t /*events*/) override {}
};

}  // namespace

class ServerThread final : public ServingThread {
 public:
  ServerThread(const Pattern& pattern, const Ask& ask) : pattern_(pattern), ask_(ask) {}

  void AddListener(UniqueFd fd) { listeners_.emplace_back(*this, std::move(fd)); }
  /// Until `stop`; who sets it makes `stop_event` readable.
  void Run(const std::atomic<bool>& stop, int stop_event);

  const Pattern& pattern() const override { return pattern_; }
  char* scratch() override { return scratch_.get(); }
  void Later(ServedConnection* connection) override { later_.push_back(connection); }
  void Retire(ServedConnection* connection) override { free_.push_back(connection); }

 private:
  class Listener final : public Watcher {
   public:
    Listener(ServerThread& thread, UniqueFd fd) : thread_(thread), fd_(std::move(fd)) {}
    void OnReady(uint32_t /*events*/) override { thread_.Accept(fd_.get()); }
    int fd() const { return fd_.get(); }

   private:
    ServerThread& thread_;
    const UniqueFd fd_;
  };

  void Accept(int listener);
  void Adopt(UniqueFd fd);
  ServedConnection* Free();

  const Pattern& pattern_;
  const Ask ask_;
  EventLoop loop_;
  const std::unique_ptr<char[]> scratch_ = std::make_unique<char[]>(kScratch);
  std::deque<Listener> listeners_;  // They do not move.
  std::deque<ServedConnection> all_;
  std::vector<ServedConnection*> free_;
  std::vector<ServedConnection*> later_;
  std::vector<ServedConnection*> now_;
};

void ServerThread::Run(const std::atomic<bool>& stop, int stop_event) {
  Waker waker;
  loop_.WatchLevel(stop_event, &waker);
  for (Listener& listener : listeners_) loop_.WatchLevel(listener.fd(), &listener);
  while (!stop.load(std::memory_order_relaxed)) {
    loop_.Turn(later_.empty() ? INT64_MAX : 0);
    now_.swap(later_);
    for (ServedConnection* connection : now_) connection->Continue();
    now_.clear();
  }
}

void ServerThread::Accept(int listener) {
  while (true) {
    UniqueFd fd(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    // Out of descriptors clients wait in the backlog; without a rest this would be a busy loop.
    if (!fd && (errno == EMFILE || errno == ENFILE)) usleep(1000);
    if (!fd) return;
    Adopt(std::move(fd));
  }
}

void ServerThread::Adopt(UniqueFd fd) {
  ServedConnection* connection = Free();
  connection->Adopt(std::move(fd), ask_);
  if (loop_.Watch(connection->fd(), connection) != 0) connection->Continue();
}

ServedConnection* ServerThread::Free() {
  if (free_.empty()) return &all_.emplace_back(*this);
  ServedConnection* connection = free_.back();
  free_.pop_back();
  return connection;
}

Server::Server() : stop_event_(eventfd(0, EFD_CLOEXEC)) { PCHECK(stop_event_) << "eventfd"; }

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServeOptions& options) {
  std::unique_ptr<Server> server(new Server());
  const Ask ask = {.mode = options.mode,
                   .close_first = options.close_first,
                   .size = static_cast<uint32_t>(options.size)};
  for (int i = 0; i < options.threads; ++i) {
    server->serving_.push_back(std::make_unique<ServerThread>(server->pattern_, ask));
  }
  for (const SocketAddress& address : options.listen) {
    absl::StatusOr<std::vector<UniqueFd>> sockets =
        ListenOnEach(address, ListenOptions{.backlog = 16 * 1024}, options.threads);
    if (!sockets.ok()) return sockets.status();
    server->addresses_.push_back(LocalAddress(sockets->front().get()));
    for (size_t i = 0; i < sockets->size(); ++i) {
      server->serving_[i]->AddListener(std::move((*sockets)[i]));
    }
  }
  for (const auto& thread : server->serving_) {
    server->threads_.emplace_back([&server = *server, &thread = *thread] {
      thread.Run(server.stop_, server.stop_event_.get());
    });
  }
  return server;
}

Server::~Server() {
  stop_ = true;
  eventfd_write(stop_event_.get(), 1);
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace l4lb::load
