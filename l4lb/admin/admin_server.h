// SPDX-License-Identifier: Apache-2.0
//
// The admin API as a whole: its socket, its threads, and who may ask.  Started and stopped by
// server/.  Its threads are its own: workers never wait for it, and it never holds one up.
//
// Three kinds of threads: one accepts and ends connections that take too long, one reads requests
// and writes answers (libmicrohttpd), and a few wait for `Control`.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/admin/access.h"
#include "l4lb/admin/admin_listener.h"
#include "l4lb/admin/admin_options.h"
#include "l4lb/admin/client_places.h"
#include "l4lb/admin/control.h"
#include "l4lb/admin/http_front.h"
#include "l4lb/admin/request_threads.h"

namespace l4lb {

class AdminServer {
 public:
  /// Answers as soon as it returns.  `control` outlives it.  An error says what is wrong with the
  /// address (kAlreadyExists: it is taken), or with a token file (kInvalidArgument).
  static absl::StatusOr<std::unique_ptr<AdminServer>> Start(const AdminOptions& options,
                                                            Control& control);
  /// Lets answers that are on their way go out, for a second at most, and removes the file of a
  /// UNIX socket.  Waits for calls of `control` that are under way: they must end by themselves.
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  /// Where it listens, with the real port: "127.0.0.1:9900", "unix:/run/l4lb.sock".
  const std::string& address() const { return listener_.address; }

  /// Reads the token files of `admin` again.  After an error the old tokens stay.  Any thread.
  absl::Status ReadTokens(const Config::Admin& admin);

 private:
  AdminServer(const AdminOptions& options, AdminListener listener, Control& control);
  HttpService Service();
  void Accept();
  /// False: the process lacks something, wait a little.
  bool AcceptOne();
  void WaitForAnswers() const;

  Control& control_;
  AdminListener listener_;
  Access access_;
  ClientPlaces places_;
  RequestThreads threads_;
  std::unique_ptr<HttpFront> front_;
  UniqueFd stop_;  // An eventfd: ends the accepting thread.
  std::thread accepting_;
};

}  // namespace l4lb
