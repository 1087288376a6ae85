// SPDX-License-Identifier: Apache-2.0
//
// How the admin API is to be served.
#pragma once

#include <cstddef>
#include <string>

#include "l4lb/admin/client_places.h"
#include "l4lb/config/config.h"

namespace l4lb {

struct AdminOptions {
  std::string bind = "auto";  // As admin.bind of the configuration, but for "off".
  std::string token_file;     // As there, as the next two.
  std::string read_token_file;
  std::string mode = "0660";

  PlaceLimits limits;
  size_t body_bytes = 64 << 10;  // Of a request.
  size_t head_bytes = 32 << 10;  // Of a request; what libmicrohttpd may take for a connection.
  int idle_s = 10;               // No byte moves.
  int threads = 2;               // That wait for the control thread.
  size_t queued = 32;            // Requests that wait for those.
};

inline AdminOptions AdminOptionsOf(const Config::Admin& admin) {
  return {.bind = admin.bind,
          .token_file = admin.token_file,
          .read_token_file = admin.read_token_file,
          .mode = admin.mode};
}

}  // namespace l4lb
