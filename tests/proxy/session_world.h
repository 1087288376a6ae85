// SPDX-License-Identifier: Apache-2.0
//
// One case of the session fuzzer: a Worker over FakeEngine, with clients, backends, settings and
// faults drawn from one seed.  Run() lives it to the end; Check() (session_check.cc) says what was
// wrong with it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "l4lb/proxy/worker.h"
#include "tests/proxy/scripted_peer.h"
#include "tests/proxy/session_controls.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_network.h"

namespace l4lb {

struct WorldOptions {
  uint64_t seed = 1;
  bool calm = false;        // No faults, patient peers: every session must end by *_fin.
  bool controlled = false;  // Sessions are listed, drained and closed.
  EngineFaults::Corruption corruption = EngineFaults::Corruption::kNone;
  bool never_resets = false;
};

/// All that is known of a world once it has ended.
struct WorldLedger {
  bool calm = false;
  bool lacked = false;       // We lacked ports, fds or memory at times.
  bool wire_breaks = false;  // The network broke connections.
  bool wire_delays = false;  // It was slow at times.
  bool over_in_time = false;
  bool hasty = false;     // Sessions may be closed by us.
  bool by_force = false;  // Sessions were closed by us.
  std::vector<PeerLedger> clients;
  std::vector<PeerLedger> backends;
  std::map<std::string, std::string> pairs;  // Client's address: our address toward its backend.
  std::set<std::string> cut;  // Of which bytes were left behind: clients, our ends toward backends.
  std::map<std::string, SessionRecord> records;  // By the client's address.
  size_t doubled_records = 0;
  const ListenerMeters* listener = nullptr;  // The world's.
  const PoolMeters* pool = nullptr;          // Likewise.
  std::set<CloseReason> control_reasons;     // For which control may have closed sessions.
  int64_t least_age_ms = 0;
  std::set<std::string> control_wrong;  // What control noted.
  uint64_t backend_sessions = 0;
  // What must not be left.
  int64_t leases_held = 0;
  int64_t places_used = 0;
  int64_t waiting = 0;
  bool limit_exceeded = false;  // At any time.
  size_t ops_in_flight = 0;
  size_t fds_open = 0;
  size_t sockets = 0;
};

/// What is wrong with it; empty when nothing is.
std::vector<std::string> Check(const WorldLedger& world);
/// For people.
std::string Describe(const WorldLedger& world);

class SessionWorld {
 public:
  explicit SessionWorld(const WorldOptions& options);
  ~SessionWorld();

  void Run();
  WorldLedger Ledger() const;

 private:
  class Recorder;
  class Silence;

  void CheckLimits();
  void DrawFaults();
  void DrawLimits();
  void DrawPool();
  void DrawClients();
  void DrawEnd();
  void AddBackend(int index);
  void AcceptAtBackend(FakeListener& listener);
  void Dial();
  bool EverybodyGone() const;

  const WorldOptions options_;
  ManualClock clock_;
  Dice dice_;
  FakeNetwork network_{clock_, dice_};
  EngineFaults faults_;
  WireFaults wire_faults_;
  FakeEngine* engine_ = nullptr;  // The worker's.
  SocketAddress near_address_;    // Where the worker listens.
  std::unique_ptr<Silence> events_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Places> places_;
  std::unique_ptr<ListenerLimits> limits_;
  Crew crew_{1};
  bool backend_limited_ = false;
  bool limit_exceeded_ = false;
  SessionNames names_;
  std::shared_ptr<PoolSnapshot> pool_;
  SessionSettings settings_;
  std::shared_ptr<ListenerMeters> listener_meters_ = std::make_shared<ListenerMeters>();
  std::shared_ptr<PoolMeters> pool_meters_ = std::make_shared<PoolMeters>();
  SessionControls controls_{network_, listener_meters_->counters};
  std::unique_ptr<Worker> worker_;
  std::vector<std::unique_ptr<ScriptedPeer>> clients_;
  std::vector<std::unique_ptr<ScriptedPeer>> backends_;
  std::vector<FakeListener*> backend_listeners_;
  std::map<std::string, std::string> pairs_;
  std::set<std::string> cut_;
  int clients_to_come_ = 0;
  int accepts_to_come_ = 0;  // At backends.
  uint64_t next_id_ = 1;
  bool over_in_time_ = false;
  bool hasty_ = false;
  bool by_force_ = false;
};

}  // namespace l4lb
