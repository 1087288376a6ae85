// SPDX-License-Identifier: Apache-2.0
//
// The whole daemon but its signals: binds the listeners, starts the workers, answers for their
// counters, and stops them.  Everything here is called on the control thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/config/config.h"
#include "l4lb/net/socket_file.h"
#include "l4lb/observe/access_log.h"
#include "l4lb/observe/event_log.h"
#include "l4lb/proxy/worker.h"
#include "l4lb/server/limits.h"
#include "l4lb/server/worker_thread.h"

namespace l4lb {

class Server {
 public:
  /// Nothing stays bound or running on failure; the error names the address or file and the reason.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Config& config);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// What was decided at start, for people: several lines, each with its newline.
  std::string Banner() const;
  /// Where the first listener listens.
  const std::string& FirstAddress() const { return listeners_.front()->addresses.front(); }
  /// All counters and gauges as one JSON object in one line, without a newline.  Asks the workers
  /// for fresh figures and waits for them, for a second at most.
  std::string StatsJson();
  /// Opens the access log anew.
  absl::Status ReopenLogs();

  void StopListening();
  void CloseSessions(CloseReason reason);
  void Hurry();
  /// After StopListening(): the last session has ended.
  bool idle() const;

 private:
  struct Listening {
    explicit Listening(const Config::Listener& config)
        : limits{
              .places = Places(config.max_connections),
              .accept_rate = SharedRate(config.accept_rate),
              .sources = SourceTable(config.per_source.max_connections, config.per_source.rate)} {}

    std::string name;
    std::string pool;
    std::string policy;
    SessionNames names;  // Points into the strings above.
    size_t pool_index = 0;
    SessionSettings settings;
    ListenerLimits limits;
    std::vector<std::vector<UniqueFd>> sockets;  // Of each address, until the workers take them.
    std::vector<std::string> addresses;
  };

  explicit Server(const Config& config);
  absl::Status OpenLogs(const Config& config);
  absl::Status MakePools(const Config& config);
  absl::Status Bind(const Config& config);
  absl::Status StartWorkers(const Config& config);
  WorkerPlan PlanFor(int worker);

  const int worker_count_;
  const Limits limits_;
  int64_t start_unix_ms_ = 0;
  Places places_;
  Crew crew_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<AccessLog> access_log_;
  std::vector<std::shared_ptr<const PoolSnapshot>> pools_;
  std::vector<std::unique_ptr<Listening>> listeners_;
  std::vector<SocketFile> socket_files_;
  std::vector<std::unique_ptr<WorkerThread>> workers_;
};

/// What a configuration amounts to, in one line with its newline: for --check.
std::string Summary(const Config& config);

}  // namespace l4lb
