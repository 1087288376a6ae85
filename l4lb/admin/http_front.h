// SPDX-License-Identifier: Apache-2.0
//
// HTTP over connections that somebody else accepts: libmicrohttpd with one thread of its own, which
// reads and writes and never waits for anything but sockets.  Used by admin_server.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "l4lb/admin/admin_options.h"
#include "l4lb/admin/client_places.h"
#include "l4lb/admin/request.h"
#include "l4lb/admin/request_threads.h"
#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"

struct MHD_Daemon;

namespace l4lb {

/// Who answers.
struct HttpService {
  /// On libmicrohttpd's thread: must not wait.  Empty: `later` answers.
  std::function<std::optional<Response>(const Request& request)> at_once;
  /// On one of the request threads.
  std::function<Response(const Request& request)> later;
};

class HttpFront {
 public:
  /// `places` and `threads` outlive it.
  static absl::StatusOr<std::unique_ptr<HttpFront>> Start(const AdminOptions& options,
                                                          HttpService service, ClientPlaces& places,
                                                          RequestThreads& threads);
  /// After RequestThreads::Stop().
  ~HttpFront();
  HttpFront(const HttpFront&) = delete;
  HttpFront& operator=(const HttpFront&) = delete;

  /// Serves a connection, which `places` has been told of.
  void Serve(UniqueFd fd, const SocketAddress& peer);

 private:
  friend struct HttpCallbacks;  // libmicrohttpd's, in the .cc.

  HttpFront(const AdminOptions& options, HttpService service, ClientPlaces& places,
            RequestThreads& threads);
  bool Listen(const AdminOptions& options);

  const HttpService service_;
  const size_t most_body_;
  ClientPlaces& places_;
  RequestThreads& threads_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace l4lb
