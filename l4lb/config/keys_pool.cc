// SPDX-License-Identifier: Apache-2.0
//
// The rows of the key table that are about pools: the side of the backends.
#include "l4lb/config/key_table.h"

namespace l4lb {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kHourMs = 3600 * kSecondMs;
constexpr int64_t kMostConnections = 10'000'000;
constexpr int64_t kKernelKeepaliveMaxMs = 32767 * kSecondMs;  // MAX_TCP_KEEPIDLE, _KEEPINTVL.

std::vector<Key> BackendKeys() {
  return {
      {.path = "pools[].backends",
       .type = KeyType::kList,
       .required = true,
       .elements = BindElements<&Config::Pool::backends>(),
       .flag = "backends",
       .flag_value = "ADDR[*WEIGHT][,...]",
       .summary = "The servers that connections are spread over",
       .text = "At most 10,000 in a pool."},
      {.path = "pools[].backends[].name",
       .type = KeyType::kName,
       .field = BindField<&Config::Backend::name>(),
       .max = 128,
       .default_text = "its address",
       .summary = "The backend's name in logs and metrics",
       .text = "It is the backend's identity. No two backends of a pool have the same.",
       .example = "pg1"},
      {.path = "pools[].backends[].address",
       .type = KeyType::kBackendAddress,
       .required = true,
       .field = BindField<&Config::Backend::address>(),
       .summary = "Where to connect",
       .text = "`10.0.0.1:5432`, `[2001:db8::1]:5432`, `db1.example:5432`, or `unix:/run/db.sock` "
               "for a UNIX socket by its absolute path. A host name is resolved once, at the "
               "start; with several addresses each becomes a backend, so write `127.0.0.1` rather "
               "than `localhost` when the server listens on that alone.",
       .example = "\"10.0.0.1:5432\""},
      {.path = "pools[].backends[].weight",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Backend::weight>(),
       .max = 1000,
       .summary = "Its share of new sessions, in proportion to the other weights",
       .text = "0 takes no new sessions."},
      {.path = "pools[].backends[].max_connections",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Backend::max_connections>(),
       .max = kMostConnections,
       .summary = "How many sessions the backend may have at once, connecting ones included",
       .text = "0 sets no limit.",
       .example = "100"},
      {.path = "pools[].backends[].backup",
       .type = KeyType::kBool,
       .field = BindField<&Config::Backend::backup>(),
       .summary = "Whether it takes sessions only when no other backend of the pool does",
       .text = "Or when `fail_open` asks for help."},
      {.path = "pools[].backends[].state",
       .type = KeyType::kEnum,
       .field = BindField<&Config::Backend::state>(),
       .choices = {"ready", "drain", "down"},
       .summary = "Whether it takes new sessions",
       .text = "`ready`: it does. `drain`: it does not; those that it has may go on for "
               "`drain_timeout`. `down`: it does not, and those that it has are closed at once."},
  };
}

std::vector<Key> PickKeys() {
  return {
      {.path = "pools",
       .type = KeyType::kList,
       .required = true,
       .elements = BindElements<&Config::pools>(),
       .summary = "Named sets of backends"},
      {.path = "pools[].name",
       .type = KeyType::kName,
       .required = true,
       .field = BindField<&Config::Pool::name>(),
       .max = 128,
       .summary = "What listeners call the pool",
       .text = "No two pools have the same.",
       .example = "postgres"},
      {.path = "pools[].policy",
       .type = KeyType::kEnum,
       .field = BindField<&Config::Pool::policy>(),
       .choices = {"round_robin", "random", "least_connections", "p2c", "maglev", "ring"},
       .flag = "policy",
       .summary = "How a backend is picked for a connection",
       .text = "`round_robin`: each in its turn, smoothly by weight. `random`: by chance, in "
               "proportion to the weights. `least_connections`: the one with the fewest sessions "
               "for its weight, right for long-lived connections through one balancer. `p2c`: "
               "the less loaded of two that are drawn by weight; the better of the two when "
               "several balancers share the same backends, of which none sees the sessions of the "
               "others. `maglev` and `ring`: always the same one "
               "for the same client, by consistent hashing: when backends come or go few other "
               "clients move, and balancers with the same backends agree."},
  };
}

std::vector<Key> ConnectKeys() {
  return {
      {.path = "pools[].source",
       .type = KeyType::kSourceAddresses,
       .field = BindField<&Config::Pool::source>(),
       .summary = "Our addresses toward the backends, without a port",
       .text = "They are taken in turn, each for backends of its address family. With none of a "
               "family the kernel picks. More addresses allow more connections to one backend.",
       .example = "[10.0.0.8, \"2001:db8::8\"]"},
      {.path = "pools[].connect_timeout",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::connect_timeout>(),
       .min = 1,
       .max = kHourMs,
       .flag = "connect_timeout",
       .summary = "How long one attempt to connect to a backend may take"},
      {.path = "pools[].retries",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Pool::retries>(),
       .max = 100,
       .summary = "How many other backends are tried when connecting fails",
       .text = "Never once a byte has been sent to a backend. 0 tries only one."},
  };
}

std::vector<Key> PoolLimitKeys() {
  return {
      {.path = "pools[].max_connections",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Pool::max_connections>(),
       .max = kMostConnections,
       .summary = "How many sessions the pool's backends may have at once together",
       .text = "Above it new sessions wait as when all backends are full. 0 sets no limit."},
      {.path = "pools[].queue",
       .type = KeyType::kMapping,
       .summary = "Sessions that wait for a place at a backend",
       .text = "First come, first served, over all workers."},
      {.path = "pools[].queue.limit",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Pool::queue, &Config::Queue::limit>(),
       .max = kMostConnections,
       .summary = "How many sessions may wait",
       .text = "0: nobody waits, and a session that finds no place ends at once with the reason "
               "`limit`."},
      {.path = "pools[].queue.timeout",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::queue, &Config::Queue::timeout>(),
       .min = 1,
       .max = kHourMs,
       .summary = "How long a session may wait"},
      {.path = "pools[].queue.per",
       .type = KeyType::kEnum,
       .field = BindField<&Config::Pool::queue, &Config::Queue::per>(),
       .choices = {"pool", "backend"},
       .summary = "What a session waits for",
       .text = "`pool`: full backends are passed over, and when all are full the session takes "
               "the first place that becomes free. `backend`: one is picked whether it is full or "
               "not, and the session waits for that one."},
  };
}

std::vector<Key> HashKeys() {
  return {
      {.path = "pools[].hash_key",
       .type = KeyType::kEnum,
       .field = BindField<&Config::Pool::hash_key>(),
       .choices = {"source_ip", "source_ip_port"},
       .flag = "hash_key",
       .summary = "What of a client the policies maglev and ring hash",
       .text = "`source_ip`: all connections of an address go to one backend. `source_ip_port`: "
               "every connection is spread for itself. A client at a UNIX socket has no address "
               "and is spread at random."},
      {.path = "pools[].table_size",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Pool::table_size>(),
       .min = 2,
       .max = 5'000'011,
       .summary = "How many slots the table of the policy maglev has: a prime",
       .text = "A hundred for each backend keep shares within 1 %."},
      {.path = "pools[].points",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Pool::points>(),
       .min = 1,
       .max = 10'000,
       .summary = "How many points of the policy ring a backend has for each unit of its weight",
       .text = "Shares vary by about one in the square root of it."},
      {.path = "pools[].bounded_load",
       .type = KeyType::kFactor,
       .field = BindField<&Config::Pool::bounded_load>(),
       .min = 101,
       .max = 10'000,
       .word = "0",
       .word_value = 0,
       .summary = "How many times its share of all sessions a backend gets at most",
       .text = "With the policies maglev and ring. What is above goes to other backends, in an "
               "order that depends on the client. 0 sets no bound.",
       .example = "1.25"},
  };
}

std::vector<Key> LostPeerKeys() {
  return {
      {.path = "pools[].keepalive",
       .type = KeyType::kMapping,
       .summary = "TCP keepalive of both connections of a session",
       .text = "It finds peers that vanished while no data was under way."},
      {.path = "pools[].keepalive.idle",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::keepalive, &Config::Keepalive::idle>(),
       .min = kSecondMs,
       .max = kKernelKeepaliveMaxMs,
       .step = kSecondMs,
       .summary = "Silence before the first probe, in whole seconds"},
      {.path = "pools[].keepalive.interval",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::keepalive, &Config::Keepalive::interval>(),
       .min = kSecondMs,
       .max = kKernelKeepaliveMaxMs,
       .step = kSecondMs,
       .summary = "Time between probes, in whole seconds"},
      {.path = "pools[].keepalive.count",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Pool::keepalive, &Config::Keepalive::count>(),
       .min = 1,
       .max = 127,
       .summary = "Probes without an answer after which the peer is lost"},
      {.path = "pools[].dead_after",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::dead_after>(),
       .min = kSecondMs,
       .max = 24 * kHourMs,
       .summary = "How long a peer that owes acknowledgements may be silent",
       .text = "Such a peer is lost and its session ends. A peer that is alive and only pauses "
               "reading is never taken for lost."},
  };
}

std::vector<Key> AgeKeys() {
  return {
      {.path = "pools[].max_connection_age",
       .type = KeyType::kMapping,
       .summary = "The age at which sessions end, so that clients connect anew",
       .text = "For clients that keep connections for hours: without it a backend that was added "
               "or came back stays empty. Needs clients that connect anew by themselves."},
      {.path = "pools[].max_connection_age.age",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::max_connection_age, &Config::MaxConnectionAge::age>(),
       .max = 365 * 24 * kHourMs,
       .summary = "The age, from the moment the client was accepted",
       .text = "`0s` sets no limit.",
       .example = "1h"},
      {.path = "pools[].max_connection_age.jitter",
       .type = KeyType::kPercentage,
       .field = BindField<&Config::Pool::max_connection_age, &Config::MaxConnectionAge::jitter>(),
       .max = 90,
       .summary = "How much more or less a session's own age may be",
       .text = "So that sessions that began together do not end together."},
      {.path = "pools[].max_connection_age.quiet",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::max_connection_age, &Config::MaxConnectionAge::quiet>(),
       .min = 1,
       .max = kHourMs,
       .summary = "The silence after which an old session ends",
       .text = "It must be the backend that spoke last, and all must have been delivered: then "
               "no answer is awaited, as far as a balancer can tell."},
      {.path = "pools[].max_connection_age.grace",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::max_connection_age, &Config::MaxConnectionAge::grace>(),
       .max = 24 * kHourMs,
       .summary = "How long an old session may wait for such a silence",
       .text = "Then it ends whatever moves."},
      {.path = "pools[].on_remove",
       .type = KeyType::kSessions,
       .field = BindField<&Config::Pool::on_remove>(),
       .min = 1,
       .max = 7 * 24 * kHourMs,
       .summary = "What becomes of the sessions of a backend that is removed",
       .text = "`keep`: they go on. `close`: they are closed at once. `{drain: 30s}`: those that "
               "have not ended by then are closed, in the last `drain_spread` of it."},
  };
}

}  // namespace

std::vector<Key> PoolKeys() {
  return Concatenate({PickKeys(), HashKeys(), ConnectKeys(), PoolLimitKeys(), LostPeerKeys(),
                      AgeKeys(), HealthKeys(), BackendKeys()});
}

}  // namespace l4lb
