// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/admin_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/admin/handle_request.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/net/clock.h"
#include "l4lb/net/errno_text.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {
namespace {

constexpr int64_t kLookMs = 1'000;  // A place's deadline may have changed meanwhile.
constexpr int kLackMs = 100;
constexpr int kWarnSeconds = 10;
constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kStep = std::chrono::milliseconds(5);

/// What counts as one source of connections: an address without its port.
std::string SourceOf(const SocketAddress& peer) {
  std::string text = peer.ToString();
  if (peer.family() != AF_UNIX) text.resize(text.rfind(':'));
  return text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Start(const AdminOptions& options,
                                                                Control& control) {
  const bool has_token = !options.token_file.empty() || !options.read_token_file.empty();
  if (IsReachable(options.bind) && !has_token) {
    return absl::InvalidArgumentError(
        absl::StrCat("admin API: ", options.bind,
                     " may be reached from other machines and needs a token; set token_file"));
  }
  absl::StatusOr<AdminListener> listener = ListenForAdmin(options.bind, options.mode);
  if (!listener.ok()) return listener.status();
  std::unique_ptr<AdminServer> server(new AdminServer(options, *std::move(listener), control));
  const absl::Status tokens =
      server->access_.ReadTokens(options.token_file, options.read_token_file);
  if (!tokens.ok()) return tokens;
  if (!server->stop_) {
    return absl::ResourceExhaustedError(absl::StrCat("admin API: ", ErrnoText(errno)));
  }
  absl::StatusOr<std::unique_ptr<HttpFront>> front =
      HttpFront::Start(options, server->Service(), server->places_, server->threads_);
  if (!front.ok()) return front.status();
  server->front_ = *std::move(front);
  server->accepting_ = std::thread([raw = server.get()] { raw->Accept(); });
  return server;
}

AdminServer::AdminServer(const AdminOptions& options, AdminListener listener, Control& control)
    : control_(control),
      listener_(std::move(listener)),
      access_(IsReachable(options.bind)),
      places_(options.limits),
      threads_(options.threads, options.queued),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

AdminServer::~AdminServer() {
  if (accepting_.joinable()) {
    CHECK_EQ(::eventfd_write(stop_.get(), 1), 0);
    accepting_.join();
    WaitForAnswers();
  }
  if (listener_.file) RemoveSocketFile(*listener_.file);
  threads_.Stop();
  front_.reset();
}

absl::Status AdminServer::ReadTokens(const Config::Admin& admin) {
  return access_.ReadTokens(admin.token_file, admin.read_token_file);
}

HttpService AdminServer::Service() {
  return {.at_once = [this](const Request& request) -> std::optional<Response> {
            const RequestTraits traits = TraitsOf(request);
            std::optional<Response> refused = access_.Refuse(request, traits.open);
            if (refused && refused->status == 401 && !request.authorization.empty()) {
              LOG_EVERY_T(WARNING, kWarnSeconds) << "admin API: wrong token from " << request.peer;
            }
            if (refused || !traits.direct) return refused;
            return HandleRequest(request, control_);
          },
          .later = [this](const Request& request) { return HandleRequest(request, control_); }};
}

void AdminServer::Accept() {
  bool lack = false;
  for (;;) {
    const int64_t now_ms = Clock::Real().NowMs();
    const int64_t next_ms = places_.EndLate(now_ms);
    const int64_t wait_ms = std::clamp<int64_t>(next_ms - now_ms, 0, kLookMs);
    const bool idle = places_.size() == 0 && !lack;
    pollfd events[] = {{stop_.get(), POLLIN, 0}, {lack ? -1 : listener_.fd.get(), POLLIN, 0}};
    ::poll(events, 2, idle ? -1 : lack ? kLackMs : static_cast<int>(wait_ms));
    if (events[0].revents != 0) return;
    lack = events[1].revents != 0 && !AcceptOne();
  }
}

bool AdminServer::AcceptOne() {
  if (!places_.MakeRoom()) {
    std::this_thread::sleep_for(kStep);  // Until libmicrohttpd has closed some.
    return true;
  }
  sockaddr_storage address;
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  UniqueFd fd(::accept4(listener_.fd.get(), generic, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
    LOG_EVERY_T(WARNING, kWarnSeconds) << "admin API: cannot accept: " << ErrnoText(errno);
    return false;
  }
  if (!fd) return true;  // The client is gone.
  const SocketAddress peer(generic, size);
  places_.Add(fd.get(), SourceOf(peer), Clock::Real().NowMs());
  front_->Serve(std::move(fd), peer);
  return true;
}

void AdminServer::WaitForAnswers() const {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (places_.busy() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kStep);
  }
}

}  // namespace l4lb
