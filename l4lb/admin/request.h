// SPDX-License-Identifier: Apache-2.0
//
// An HTTP request and its answer as values: what is left of HTTP once libmicrohttpd has read it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace l4lb {

struct Request {
  std::string method;  // "GET"
  std::string target;  // As it was sent, percent-encoded: "/v1/sessions?pool=a"
  std::string body;
  // Headers; empty: not sent.
  std::string host;
  std::string origin;
  std::string fetch_site;  // Sec-Fetch-Site
  std::string authorization;

  std::string peer;    // For the log: "127.0.0.1:40312", "unix:uid=0,pid=17".
  bool local = false;  // Over a UNIX socket.
};

struct Response {
  int status = 200;
  std::string type;  // Content-Type; empty when there is no body.
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // Further ones.
};

/// What is wrong with a request, and what would be right.
struct RequestError {
  int status = 400;
  std::string what;
  std::string right;  // May be empty.
  std::string field;  // Of the body or the query; may be empty.
};

}  // namespace l4lb
