// SPDX-License-Identifier: Apache-2.0
//
// The rows of the key table that are about listeners: the side of the clients.
#include "l4lb/config/key_table.h"

namespace l4lb {
namespace {

constexpr int64_t kYearMs = int64_t{365} * 24 * 3600 * 1000;
constexpr int64_t kMostConnections = 10'000'000;

std::vector<Key> PlaceKeys() {
  return {
      {.path = "listeners",
       .type = KeyType::kList,
       .required = true,
       .elements = BindElements<&Config::listeners>(),
       .summary = "Where clients connect"},
      {.path = "listeners[].name",
       .type = KeyType::kName,
       .field = BindField<&Config::Listener::name>(),
       .max = 128,
       .default_text = "its first address",
       .summary = "The listener's name in logs and metrics",
       .text = "No two listeners have the same.",
       .example = "postgres"},
      {.path = "listeners[].bind",
       .type = KeyType::kBindAddresses,
       .required = true,
       .field = BindField<&Config::Listener::bind>(),
       .flag = "listen",
       .summary = "The address or addresses to accept connections at",
       .text = "`1.2.3.4:5432`, `[::1]:5432`, or `:5432` for all addresses of the machine. Port 0 "
               "asks the kernel for a free port, which is printed at the start. "
               "`unix:/run/l4lb.sock` is a UNIX socket, by its absolute path.",
       .example = "[\"0.0.0.0:5432\", \"[::]:5432\"]"},
      {.path = "listeners[].pool",
       .type = KeyType::kName,
       .required = true,
       .field = BindField<&Config::Listener::pool>(),
       .max = 128,
       .summary = "The name of the pool that serves its clients",
       .example = "postgres"},
  };
}

std::vector<Key> AdmissionKeys() {
  return {
      {.path = "listeners[].max_connections",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Listener::max_connections>(),
       .max = kMostConnections,
       .summary = "How many sessions the listener may have at once",
       .text = "Above it new clients wait in the kernel's backlog until a session ends. 0 sets no "
               "limit but that of the process."},
      {.path = "listeners[].accept_rate",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Listener::accept_rate>(),
       .max = kMostConnections,
       .summary = "How many new connections a second the listener accepts",
       .text = "Above it new clients wait in the kernel's backlog. 0 sets no limit."},
      {.path = "listeners[].per_source",
       .type = KeyType::kMapping,
       .summary = "Limits of each client address",
       .text = "A connection above them is closed with the reason `limit`. An IPv6 address counts "
               "with all others of its "
               "/64."},
      {.path = "listeners[].per_source.max_connections",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Listener::per_source, &Config::PerSource::max_connections>(),
       .max = kMostConnections,
       .summary = "How many sessions one client address may have at once",
       .text = "0 sets no limit."},
      {.path = "listeners[].per_source.rate",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Listener::per_source, &Config::PerSource::rate>(),
       .max = kMostConnections,
       .summary = "How many new connections a second one client address may open",
       .text = "0 sets no limit."},
      {.path = "listeners[].backlog",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Listener::backlog>(),
       .min = 1,
       .max = 65535,
       .summary = "How many connections may wait in the kernel to be accepted",
       .text = "The kernel lowers it to net.core.somaxconn."},
  };
}

std::vector<Key> ListenerTimeoutKeys() {
  return {
      {.path = "listeners[].idle_timeout",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Listener::idle_timeout>(),
       .min = 1,
       .max = kYearMs,
       .flag = "idle_timeout",
       .summary = "How long a session may go on without a byte either way",
       .text = "Lost peers are found by keepalive and dead_after long before; this one is for "
               "peers that are alive and forgotten."},
      {.path = "listeners[].half_close_timeout",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Listener::half_close_timeout>(),
       .min = 1,
       .max = kYearMs,
       .summary = "How long a session may go on without a byte once one side has finished",
       .text = "The side that has not finished may still send: every byte starts the time anew."},
  };
}

}  // namespace

std::vector<Key> ListenerKeys() {
  return Concatenate({PlaceKeys(), AdmissionKeys(), ListenerTimeoutKeys()});
}

}  // namespace l4lb
