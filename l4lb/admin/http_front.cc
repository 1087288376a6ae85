// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/http_front.h"

#include <microhttpd.h>

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "l4lb/admin/answers.h"
#include "l4lb/admin/exchange.h"
#include "l4lb/net/clock.h"

namespace l4lb {

/// What libmicrohttpd calls, all on its own thread.
struct HttpCallbacks {
  /// The first thing known of a request; what it returns is `*state` of the others.
  static void* OnTarget(void*, const char* target, MHD_Connection* connection) {
    return new Exchange(connection, target);
  }

  /// Called with the head, with each part of the body, at its end, and when resumed.
  static MHD_Result OnRequest(void* front, MHD_Connection* connection, const char* url,
                              const char* method, const char*, const char* data, size_t* size,
                              void** state) {
    HttpFront& self = *static_cast<HttpFront*>(front);
    if (*state == nullptr) *state = new Exchange(connection, url);
    Exchange& exchange = *static_cast<Exchange*>(*state);
    if (exchange.stage == Exchange::Stage::kNew) return OnHead(self, exchange, method);
    if (*size > 0) {
      const bool fits = exchange.TakeBody({data, *size}, self.most_body_);
      *size = 0;
      return fits ? MHD_YES : MHD_NO;
    }
    if (exchange.stage == Exchange::Stage::kAnswered) return Answer(self, exchange);
    return OnComplete(self, exchange);
  }

  static MHD_Result OnHead(HttpFront& self, Exchange& exchange, const char* method) {
    exchange.stage = Exchange::Stage::kBody;
    if (!exchange.TakeHead(method, self.most_body_)) return Answer(self, exchange, TooLarge(self));
    self.places_.ReceivesBody(exchange.fd(), Clock::Real().NowMs());
    return MHD_YES;
  }

  static MHD_Result OnComplete(HttpFront& self, Exchange& exchange) {
    if (exchange.too_large()) return Answer(self, exchange, TooLarge(self));
    if (std::optional<Response> response = self.service_.at_once(exchange.request)) {
      return Answer(self, exchange, *std::move(response));
    }
    exchange.stage = Exchange::Stage::kWorking;
    self.places_.Works(exchange.fd());
    MHD_suspend_connection(exchange.connection());
    const bool taken = self.threads_.Run([&self, &exchange] {
      exchange.response = self.service_.later(exchange.request);
      Resume(exchange);
    });
    if (taken) return MHD_YES;
    exchange.response = ErrorAnswer(
        RequestError{.status = 503, .what = "too many requests wait", .right = "try again"});
    exchange.response.headers.emplace_back("Retry-After", "1");
    Resume(exchange);
    return MHD_YES;
  }

  /// Any thread; the exchange belongs to libmicrohttpd's again.
  static void Resume(Exchange& exchange) {
    exchange.stage = Exchange::Stage::kAnswered;
    MHD_resume_connection(exchange.connection());
  }

  static MHD_Result Answer(HttpFront& self, Exchange& exchange) {
    self.places_.Answers(exchange.fd(), exchange.response.body.size(), Clock::Real().NowMs());
    return exchange.Send() ? MHD_YES : MHD_NO;
  }

  static MHD_Result Answer(HttpFront& self, Exchange& exchange, Response response) {
    exchange.response = std::move(response);
    return Answer(self, exchange);
  }

  static Response TooLarge(const HttpFront& self) {
    return ErrorAnswer(RequestError{.status = 413,
                                    .what = "the body is too large",
                                    .right = absl::StrCat("at most ", self.most_body_, " bytes")});
  }

  static void OnEnd(void* front, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
    auto* exchange = static_cast<Exchange*>(*state);
    if (exchange == nullptr) return;
    static_cast<HttpFront*>(front)->places_.WaitsForRequest(exchange->fd(), Clock::Real().NowMs());
    delete exchange;
    *state = nullptr;
  }

  static void OnConnection(void* front, MHD_Connection* connection, void**,
                           MHD_ConnectionNotificationCode what) {
    ClientPlaces& places = static_cast<HttpFront*>(front)->places_;
    const int fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) places.Begin(fd);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) places.Remove(fd);
  }
};

absl::StatusOr<std::unique_ptr<HttpFront>> HttpFront::Start(const AdminOptions& options,
                                                            HttpService service,
                                                            ClientPlaces& places,
                                                            RequestThreads& threads) {
  std::unique_ptr<HttpFront> front(new HttpFront(options, std::move(service), places, threads));
  if (!front->Listen(options)) return absl::InternalError("admin API: libmicrohttpd did not start");
  return front;
}

HttpFront::HttpFront(const AdminOptions& options, HttpService service, ClientPlaces& places,
                     RequestThreads& threads)
    : service_(std::move(service)),
      most_body_(options.body_bytes),
      places_(places),
      threads_(threads) {}

HttpFront::~HttpFront() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

bool HttpFront::Listen(const AdminOptions& options) {
  const auto most = static_cast<unsigned>(options.limits.places + 2 * options.limits.ending);
  daemon_ = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET |
                                 MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME,
                             0, nullptr, nullptr, &HttpCallbacks::OnRequest, this,         //
                             MHD_OPTION_URI_LOG_CALLBACK, &HttpCallbacks::OnTarget, this,  //
                             MHD_OPTION_NOTIFY_COMPLETED, &HttpCallbacks::OnEnd, this,     //
                             MHD_OPTION_NOTIFY_CONNECTION, &HttpCallbacks::OnConnection, this,
                             MHD_OPTION_CONNECTION_LIMIT, most,  //
                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, options.head_bytes,
                             MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(options.idle_s),
                             MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
  return daemon_ != nullptr;
}

void HttpFront::Serve(UniqueFd fd, const SocketAddress& peer) {
  const int number = fd.Release();
  // It closes the socket on failure too.
  if (MHD_add_connection(daemon_, number, peer.get(), peer.size()) != MHD_YES) {
    places_.Remove(number);
  }
}

}  // namespace l4lb
