// SPDX-License-Identifier: Apache-2.0
//
// A listener as the control thread keeps it: its configuration, its addresses, and what the workers
// write about it.  Control thread only.
//
// Its pool, its addresses, and whether per_source limits anything, belong to what it is: when one
// of these changes, a new ManagedListener takes its place, with the sockets that both have, and the
// old one stays until its last session has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "l4lb/config/config.h"
#include "l4lb/net/listen.h"
#include "l4lb/net/socket_file.h"
#include "l4lb/net/unique_fd.h"
#include "l4lb/observe/meters.h"
#include "l4lb/observe/status.h"
#include "l4lb/proxy/worker.h"

namespace l4lb {

/// An address that is listened on.  Shared by the listener that has it and the one that takes over.
struct BoundAddress {
  uint32_t id = 0;      // Of the process, never given again.
  std::string text;     // As configured.
  std::string address;  // With the real port.
  std::optional<SocketFile> file;
  /// By worker, until the workers take them.  UNIX: one.
  std::vector<UniqueFd> sockets;
  uint32_t owner = 0;  // The listener that has the sockets, once the workers have them.

  /// Removes the socket's file.
  ~BoundAddress();
};

class ManagedListener {
 public:
  /// `pool_id`: of its pool at the workers.  `previous`: whose place it takes, may be null.
  ManagedListener(uint32_t id, const Config::Listener& config, uint32_t pool_id, int workers,
                  const ManagedListener* previous);
  ManagedListener(const ManagedListener&) = delete;
  ManagedListener& operator=(const ManagedListener&) = delete;

  uint32_t id() const { return id_; }
  const Config::Listener& config() const { return config_; }
  uint32_t pool_id() const { return pool_id_; }
  const std::vector<std::shared_ptr<BoundAddress>>& addresses() const { return addresses_; }
  void SetAddresses(std::vector<std::shared_ptr<BoundAddress>> addresses);

  /// Whether this configuration can be taken over in place.
  bool CanBecome(const Config::Listener& config, uint32_t pool_id) const;
  /// It can: from now on this one counts, but for what the workers are told (settings()).
  void Become(const Config::Listener& config);

  /// What the worker is to do.  Takes the worker's part of the sockets of new addresses; the others
  /// are inherited from who has them now.
  WorkerPlan::Listen PlanFor(int worker, const SessionNames& names);
  SessionSettings settings() const;

  /// The workers have been told of it, with PlanFor().
  void OwnAddresses();
  bool told() const { return told_; }
  /// It has no address any more: it accepts nothing, or is about to.
  void Release() { addresses_.clear(); }

  enum class State {
    kOpen,
    kDrained,   // By the API; may be opened again.
    kReplaced,  // Another has taken its place.
    kRemoved,   // Out of the configuration.
  };
  State state = State::kOpen;
  int64_t drain_until_ms = 0;  // Clock::NowMs(); 0: nobody drains it.
  bool told_to_forget = false;

  bool closed() const;     ///< By all workers.
  bool forgotten() const;  ///< Likewise.

  ListenerStatus Status(int64_t now_ms) const;

 private:
  const uint32_t id_;
  Config::Listener config_;
  const uint32_t pool_id_;
  bool told_ = false;
  std::shared_ptr<ListenerLimits> limits_;
  std::vector<std::shared_ptr<BoundAddress>> addresses_;
  std::vector<std::string> shown_addresses_;
  std::vector<std::shared_ptr<ListenerMeters>> meters_;  // By worker, as the next.
  std::vector<std::shared_ptr<ListenerProgress>> progress_;
};

struct BindRequest {
  const Config::Listener& listener;
  ListenOptions options;
  int workers;
  const std::vector<std::shared_ptr<BoundAddress>>& existing;
  uint32_t& last_id;  // Of an address, ever.
};

/// One socket for each worker on every address of the listener, which is one of `config`; for those
/// of `existing` with the same text the same ones.  Nothing new stays bound on failure.
absl::StatusOr<std::vector<std::shared_ptr<BoundAddress>>> BindAll(const Config& config,
                                                                   const BindRequest& request);

}  // namespace l4lb
