// SPDX-License-Identifier: Apache-2.0
//
// What the process is and has done, at one moment and as plain values: server/ fills it in, the
// API, the metrics and SIGUSR1 show it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "l4lb/observe/backend_state.h"
#include "l4lb/observe/counters.h"
#include "l4lb/observe/health.h"
#include "l4lb/observe/timings.h"

namespace l4lb {

struct BackendStatus {
  std::string name;
  std::string address;
  uint32_t weight = 1;
  int64_t max_connections = 0;  // 0: no limit.
  BackendState state = BackendState::kReady;
  /// Of `state`, `weight`, `max_connections`: what the API has set over the configuration.
  std::vector<std::string> overrides;
  bool by_api = false;         // Added by the API; the configuration does not know it.
  bool removed = false;        // Takes no new sessions, and is forgotten when its last one ends.
  int64_t active = 0;          // Sessions now, those that connect included.
  uint64_t sessions = 0;       // Connections established since the start.
  uint64_t failures = 0;       // Connections refused or not answered in time.
  int64_t drain_left_ms = -1;  // Until its sessions will have been closed.  -1: it does not drain.
  bool backup = false;         // Takes sessions when no other does.
  bool takes_sessions = true;  // New ones, all said below and above considered.
  uint64_t early_resets = 0;   // Connections that it reset before its first byte.
  uint64_t ejections = 0;      // Times that it was taken out for what sessions met there.
  int64_t ejected_left_ms = -1;     // Until it is back.  -1: it is not ejected.
  int64_t slow_start_left_ms = -1;  // Until it has its full share.  -1: it has.
  bool slow = false;                // It takes much longer to connect to than others of the pool.
  CheckStatus check;
};

struct PoolStatus {
  std::string name;
  std::string policy;
  PoolSums sums;
  PoolTimings timings;
  int64_t active = 0;
  int64_t max_connections = 0;  // 0: no limit.
  int64_t waiting = 0;          // Sessions in the queue.
  int64_t queue_limit = 0;
  int64_t healthy = 0;          // Backends that are neither down nor ejected.
  bool fail_open = false;       // Too few are healthy: all are taken as healthy.
  std::string table;            // Of maglev and ring: "65537 slots"; else empty.
  uint64_t table_checksum = 0;  // Likewise, else 0.
  std::vector<BackendStatus> backends;
};

struct ListenerStatus {
  std::string name;
  std::string pool;
  std::vector<std::string> addresses;
  ListenerSums sums;
  ListenerTimings timings;
  int64_t active = 0;
  int64_t max_connections = 0;  // 0: no limit of its own.
  bool draining = false;        // Told to take no new sessions.
  bool removed = false;         // Out of the configuration; forgotten when its last session ends.
  int64_t drain_left_ms = -1;   // As of a backend.
};

struct WorkerStatus {
  WorkerSums sums;
  int64_t sessions = 0;
};

/// How the running configuration came to be.
struct ConfigStatus {
  std::string path;             // Empty: flags only.
  std::string hash;             // Of the file's bytes, 16 hexadecimal digits; of nothing: empty.
  int64_t loaded_unix_ms = 0;   // When it was last taken over.
  uint64_t reloads = 0;         // That changed something, or nothing.
  uint64_t reloads_failed = 0;  // That were refused.
  std::string last_error;       // Of the last reload, when it was refused; else empty.
};

struct ProcessStatus {
  std::string version;
  std::string engine;      // "epoll", "io_uring".
  std::string engine_why;  // For people.
  int64_t pid = 0;
  int64_t start_unix_ms = 0;
  int64_t uptime_ms = 0;
  int64_t active = 0;
  int64_t max_connections = 0;
  int64_t open_files_limit = 0;
  uint64_t log_suppressed = 0;
  uint64_t access_log_lost = 0;
  bool ready = true;           // As /readyz says.
  bool draining = false;       // The process is about to stop.
  int64_t drain_left_ms = -1;  // Until the last session will have been closed.
  ConfigStatus config;
  std::vector<WorkerStatus> workers;
  std::vector<ListenerStatus> listeners;
  std::vector<PoolStatus> pools;
};

/// One live session.
struct SessionStatus {
  uint64_t id = 0;
  std::string listener;
  std::string pool;
  std::string client;
  std::string backend;  // Empty: none yet.
  Phase phase = Phase::connect;
  int worker = 0;
  int64_t age_ms = 0;
  int64_t idle_ms = 0;         // Since a byte last moved.
  uint64_t client_bytes = 0;   // Delivered to the backend.
  uint64_t backend_bytes = 0;  // Delivered to the client.
  bool half_closed = false;
};

}  // namespace l4lb
