// SPDX-License-Identifier: Apache-2.0
//
// The configuration as values, checked and complete: every default is filled in.  Made by
// LoadConfig() (load.h) only; read by server/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace l4lb {

/// In one pool, once host names are resolved.
inline constexpr size_t kMostBackends = 10'000;

struct Config {
  enum class Engine { kAuto, kEpoll, kUring };
  enum class LogFormat { kJson, kText };
  enum class LogLevel { kInfo, kWarning, kError };
  enum class Policy { kRoundRobin, kRandom, kLeastConnections, kP2c, kMaglev, kRing };
  enum class HashKey { kSourceIp, kSourceIpPort };
  enum class QueuePer { kPool, kBackend };
  enum class BackendState { kReady, kDrain, kDown };
  enum class CheckType { kNone, kTcp, kSendExpect, kHttp };
  enum class DetectorType { kCount, kPhi };

  struct Buffers {
    int64_t size = 16 << 10;  // Bytes.
    int64_t count = 4096;     // Per worker.

    friend bool operator==(const Buffers&, const Buffers&) = default;
  };
  struct AccessLog {
    std::string path;  // Empty: off.  "-": stdout.
    LogFormat format = LogFormat::kJson;

    friend bool operator==(const AccessLog&, const AccessLog&) = default;
  };
  struct Admin {
    std::string bind = "auto";    // As SocketAddress::Parse() takes it, or as in admin_address.h.
    std::string token_file;       // Both empty: who reaches the address may do everything.
    std::string read_token_file;  // Its token may only read.
    std::string mode = "0660";    // Octal: of a UNIX socket.

    friend bool operator==(const Admin&, const Admin&) = default;
  };
  /// Of one client address; an IPv6 address counts with its /64.
  struct PerSource {
    int64_t max_connections = 0;  // 0: no limit.
    int64_t rate = 0;             // New connections a second.  0: no limit.

    friend bool operator==(const PerSource&, const PerSource&) = default;
  };
  struct Listener {
    std::string name;
    std::vector<std::string> bind;  // As SocketAddress::Parse() takes them.
    std::string pool;               // Of pools, by name; LoadConfig() checked that it exists.
    int64_t max_connections = 0;    // Sessions.  0: no limit of its own.
    int64_t accept_rate = 0;        // New connections a second.  0: no limit.
    PerSource per_source;
    int64_t backlog = 4096;
    absl::Duration idle_timeout = absl::Hours(1);
    absl::Duration half_close_timeout = absl::Minutes(5);

    friend bool operator==(const Listener&, const Listener&) = default;
  };
  struct Keepalive {
    absl::Duration idle = absl::Seconds(30);
    absl::Duration interval = absl::Seconds(10);
    int64_t count = 3;

    friend bool operator==(const Keepalive&, const Keepalive&) = default;
  };
  /// Sessions that wait because all backends, or theirs, are full.
  struct Queue {
    int64_t limit = 1024;  // Sessions.  0: nobody waits.
    absl::Duration timeout = absl::Seconds(5);
    QueuePer per = QueuePer::kPool;

    friend bool operator==(const Queue&, const Queue&) = default;
  };
  /// When a session is so old that it is to make room for a new pick.
  struct MaxConnectionAge {
    absl::Duration age;   // 0: no limit.
    int64_t jitter = 10;  // Percent: age x (1 +- jitter), each session its own.
    absl::Duration quiet = absl::Milliseconds(200);
    absl::Duration grace = absl::Seconds(30);

    friend bool operator==(const MaxConnectionAge&, const MaxConnectionAge&) = default;
  };
  /// When so few backends are healthy that all are taken as healthy.
  struct FailOpen {
    int64_t below = 0;  // Percent of the backends that are ready.  0: never.

    friend bool operator==(const FailOpen&, const FailOpen&) = default;
  };
  /// Of a backend that recovered or was added.
  struct SlowStart {
    absl::Duration time;  // 0: it gets its full share at once.
    int64_t floor = 10;   // Percent of its share at the beginning.

    friend bool operator==(const SlowStart&, const SlowStart&) = default;
  };
  /// What takes a backend out by what sessions met there.
  struct Eject {
    int64_t consecutive = 5;  // Failures.  0: these alone never do.
    int64_t rate = 50;        // Percent of the connections within `window`.  0: likewise.
    absl::Duration window = absl::Seconds(10);
    absl::Duration base = absl::Seconds(10);  // How long it is out; longer each time.
    absl::Duration max = absl::Minutes(5);    // How long at most.
    int64_t max_ejected = 34;                 // Percent of the backends.

    friend bool operator==(const Eject&, const Eject&) = default;
  };
  /// How failed checks become a verdict.
  struct Detector {
    DetectorType type = DetectorType::kCount;
    int64_t threshold = 8;  // Of phi.

    friend bool operator==(const Detector&, const Detector&) = default;
  };
  struct HealthCheck {
    CheckType type = CheckType::kNone;
    absl::Duration interval = absl::Seconds(2);
    absl::Duration fast_interval = absl::Milliseconds(500);  // While the verdict is changing.
    absl::Duration timeout = absl::Seconds(1);
    int64_t rise = 2;          // Passed checks in a row that bring a backend back.
    int64_t fall = 3;          // Failed ones that take it out.
    std::string address;       // As SocketAddress::ParseHost() takes it.  Empty: the backend's.
    int64_t port = 0;          // 0: the backend's.
    std::string send;          // send_expect: at most one of the two.  Empty: nothing.
    std::string send_hex;      // Digits, spaces between bytes allowed.
    std::string expect;        // send_expect: one of the two, or nothing but the connection.
    std::string expect_regex;  // RE2 syntax.
    int64_t limit = 64 << 10;  // Bytes read at most.
    std::string path = "/";    // http, as the next two.
    std::string host;          // Empty: the address that is checked.
    std::string status = "200-399";  // As ParseStatusRanges() takes it.
    Detector detector;

    friend bool operator==(const HealthCheck&, const HealthCheck&) = default;
  };
  struct Backend {
    std::string name;             // Unique in its pool; defaults to the address.
    std::string address;          // As Resolve() takes it: numeric, a host name, or unix:/path.
    int64_t weight = 1;           // 0 to 1000; 0 takes no new sessions.
    int64_t max_connections = 0;  // Sessions.  0: no limit.
    bool backup = false;          // Takes sessions when no other does.
    BackendState state = BackendState::kReady;

    friend bool operator==(const Backend&, const Backend&) = default;
  };
  struct Pool {
    std::string name;
    Policy policy = Policy::kLeastConnections;
    HashKey hash_key = HashKey::kSourceIp;  // Of maglev and ring, as the next three.
    int64_t table_size = 65537;             // maglev: a prime.
    int64_t points = 256;                   // ring: per unit of weight.
    int64_t bounded_load = 0;               // Percent; 0: no bound.
    std::vector<std::string> source;  // As SocketAddress::ParseHost() takes them.  Empty: any.
    absl::Duration connect_timeout = absl::Seconds(5);
    int64_t retries = 2;
    int64_t max_connections = 0;  // Sessions.  0: no limit.
    Queue queue;
    Keepalive keepalive;
    absl::Duration dead_after = absl::Seconds(60);
    MaxConnectionAge max_connection_age;
    FailOpen fail_open;
    SlowStart slow_start;
    /// How long the sessions of a backend may go on that its checks have found to be down.
    /// Infinite: keep.  0: close.
    absl::Duration on_down = absl::InfiniteDuration();
    /// How long the sessions of a removed backend may go on.  Infinite: keep.  0: close.
    absl::Duration on_remove = absl::Seconds(30);
    Eject eject;
    HealthCheck health_check;
    std::vector<Backend> backends;

    friend bool operator==(const Pool&, const Pool&) = default;
  };

  int64_t workers = 0;  // 0: one for each core that the process may use.
  Engine engine = Engine::kAuto;
  Buffers buffers;
  int64_t max_connections = 0;  // 0: as many as the fd limit allows.
  absl::Duration drain_timeout = absl::Seconds(30);
  absl::Duration drain_spread;    // The last part of a drain, over which sessions are closed.
  absl::Duration shutdown_delay;  // Not ready any more, and still accepting.
  std::string user;               // Whom to become once all is open.  Empty: stay.
  LogLevel log_level = LogLevel::kInfo;
  AccessLog access_log;
  Admin admin;
  bool watch = false;  // Take the configuration file over whenever it changes.
  std::vector<Listener> listeners;
  std::vector<Pool> pools;

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace l4lb
