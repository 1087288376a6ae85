// SPDX-License-Identifier: Apache-2.0
//
// The invariants of sessions, checked against what both far ends did and saw.
#include <sstream>
#include <string_view>

#include "l4lb/observe/close_reason.h"
#include "tests/proxy/session_world.h"

namespace l4lb {
namespace {

bool IsFin(CloseReason reason) {
  return reason == CloseReason::client_fin || reason == CloseReason::backend_fin;
}

class Checker {
 public:
  explicit Checker(const WorldLedger& world) : world_(world) {}

  std::vector<std::string> Run() {
    if (!world_.over_in_time) {
      Wrong("a session does not end");
      return found_;  // The rest would only repeat it.
    }
    Expect(world_.hasty || !world_.by_force, "a session had to be ended by force");
    CheckLeaks();
    CheckCounters();
    CheckBytesCounted();
    CheckTimings();
    CheckControl();
    for (const PeerLedger& client : world_.clients) CheckClient(client);
    for (const PeerLedger& backend : world_.backends) CheckUnpaired(backend);
    return found_;
  }

 private:
  void Wrong(const std::string& what) { found_.push_back(what); }
  void Expect(bool holds, const std::string& what) {
    if (!holds) Wrong(what);
  }
  void ExpectEqual(uint64_t a, uint64_t b, const std::string& what) {
    if (a != b) Wrong(what + ": " + std::to_string(a) + " != " + std::to_string(b));
  }

  void CheckLeaks() {
    ExpectEqual(world_.leases_held, 0, "leases held");
    ExpectEqual(world_.places_used, 0, "places taken");
    ExpectEqual(world_.waiting, 0, "sessions in the queue");
    Expect(!world_.limit_exceeded, "a limit was exceeded");
    ExpectEqual(world_.ops_in_flight, 0, "ops in flight");
    ExpectEqual(world_.fds_open, 0, "fds open");
    ExpectEqual(world_.sockets, 0, "sockets not forgotten");
  }

  void CheckCounters() {
    const ListenerCounters& listener = world_.listener->counters;
    const PoolCounters& pool = world_.pool->counters;
    ExpectEqual(listener.accepted.Get(), world_.clients.size(), "accepted, clients");
    ExpectEqual(listener.accepted.Get(), listener.closed.Get(), "accepted, closed");
    uint64_t by_reason = 0;
    for (const Counter& counter : listener.closed_by_reason) by_reason += counter.Get();
    ExpectEqual(by_reason, listener.closed.Get(), "sum over the reasons, closed");
    ExpectEqual(world_.doubled_records, 0, "records of the same session");
    // A connection that waited for a place when we stopped was never a session.
    Expect(world_.records.size() == listener.closed.Get() ||
               (world_.by_force && world_.records.size() < listener.closed.Get()),
           "records, closed");
    ExpectEqual(pool.connects.Get(),
                pool.connects_established.Get() + pool.connects_failed.Get() +
                    pool.connects_abandoned.Get(),
                "connects, sum of what became of them");
    ExpectEqual(pool.connects_established.Get(), world_.backend_sessions,
                "established, the backends' sessions");
    Expect(pool.retries.Get() <= pool.connects.Get(), "more retries than connects");
    uint64_t refused = 0;
    for (const Counter& counter : listener.refused_by_limit) refused += counter.Get();
    ExpectEqual(listener.closed_by_reason[static_cast<size_t>(CloseReason::limit)].Get(), refused,
                "closed for a limit, refused by limit");
    ExpectEqual(listener.closed_by_reason[static_cast<size_t>(CloseReason::queue_timeout)].Get(),
                pool.queue_timeouts.Get(), "closed for and counted as queue timeouts");
  }

  void CheckBytesCounted() {
    const ListenerCounters& listener = world_.listener->counters;
    ExpectEqual(listener.client_bytes_taken.Get(),
                listener.client_bytes_delivered.Get() + listener.client_bytes_dropped.Get(),
                "bytes of clients taken, delivered + dropped");
    ExpectEqual(listener.backend_bytes_taken.Get(),
                listener.backend_bytes_delivered.Get() + listener.backend_bytes_dropped.Get(),
                "bytes of backends taken, delivered + dropped");
    uint64_t client_bytes = 0;
    uint64_t backend_bytes = 0;
    for (const auto& [address, record] : world_.records) {
      client_bytes += record.client_bytes;
      backend_bytes += record.backend_bytes;
    }
    ExpectEqual(client_bytes, listener.client_bytes_delivered.Get(), "client bytes of records");
    ExpectEqual(backend_bytes, listener.backend_bytes_delivered.Get(), "backend bytes of records");
  }

  static uint64_t CountOf(const auto& histogram) {
    uint64_t count = 0;
    for (const Counter& bucket : histogram.counts()) count += bucket.Get();
    return count;
  }

  // Those that never were sessions (see CheckCounters()) are counted as closed, and not observed.
  void CheckTimings() {
    const ListenerTimingCounters& timings = world_.listener->timings;
    ExpectEqual(CountOf(timings.duration), world_.records.size(), "durations, records");
    ExpectEqual(timings.client_bytes.sum().Get(),
                world_.listener->counters.client_bytes_delivered.Get(), "client bytes observed");
    ExpectEqual(CountOf(world_.pool->timings.connect),
                world_.pool->counters.connects_established.Get(), "connects observed");
  }

  void CheckControl() {
    for (const std::string& what : world_.control_wrong) Wrong(what);
    for (const auto& [client, record] : world_.records) {
      const bool of_control =
          record.reason >= CloseReason::max_age && record.reason <= CloseReason::admin_closed;
      Expect(!of_control || world_.control_reasons.contains(record.reason),
             client + " closed by nobody: " + std::string(Name(record.reason)));
      Expect(record.reason != CloseReason::max_age || record.total_ms >= world_.least_age_ms,
             client + " was not so old");
    }
  }

  const PeerLedger* BackendOf(const PeerLedger& client) const {
    const auto pair = world_.pairs.find(client.address);
    if (pair == world_.pairs.end()) return nullptr;
    for (const PeerLedger& backend : world_.backends) {
      if (backend.remote_address == pair->second) return &backend;
    }
    return nullptr;
  }

  void CheckClient(const PeerLedger& client) {
    const auto found = world_.records.find(client.address);
    const SessionRecord* record = found == world_.records.end() ? nullptr : &found->second;
    const PeerLedger* backend = BackendOf(client);
    if (backend == nullptr) {
      Expect(client.got.empty(), client.address + " got bytes of nobody");
      if (record != nullptr) CheckWithoutBackend(client, *record);
      return;
    }
    if (record == nullptr) return Wrong(client.address + " had a backend and has no record");
    CheckStream(client, *backend, *record);
    CheckStream(*backend, client, *record);
    CheckReason(client, *backend, *record);
  }

  // A backend may also be gone before it accepted.
  void CheckWithoutBackend(const PeerLedger& client, const SessionRecord& record) {
    Expect(client.end != Peer::End::kFin || world_.pairs.contains(client.address) ||
               record.phase == Phase::data,
           client.address + " got a FIN though it was never served");
  }

  // What `receiver` got of what `sender` sent.
  void CheckStream(const PeerLedger& sender, const PeerLedger& receiver,
                   const SessionRecord& record) {
    const bool sender_is_client = sender.role == PeerRole::kClient;
    const std::string who = sender.address + " to " + receiver.address + " (" +
                            std::string(Name(record.reason)) + "): ";
    if (receiver.got.size() > sender.sent) Wrong(who + "more arrived than was sent");
    for (size_t i = 0; i < receiver.got.size(); ++i) {
      if (receiver.got[i] == StreamByte(sender.id, i)) continue;
      Wrong(who + "byte " + std::to_string(i) + " is wrong");
      break;
    }
    if (receiver.end == Peer::End::kFin && IsFin(record.reason)) {
      ExpectEqual(receiver.got.size(), sender.sent, who + "FIN, but not all arrived");
    }
    if (MustHaveAll(receiver, record)) {
      ExpectEqual(receiver.got.size(),
                  sender_is_client ? record.client_bytes : record.backend_bytes,
                  who + "counted as delivered, but not all arrived");
    }
    // A client is known by its own address, a backend by that of our end.
    const std::string& sender_name = sender_is_client ? sender.address : sender.remote_address;
    Expect(receiver.end != Peer::End::kFin || !world_.cut.contains(sender_name),
           who + "FIN, but bytes were left behind");
    if (receiver.end == Peer::End::kFin && sender.reset && !sender.finished) {
      const bool ours =
          record.reason != CloseReason::client_reset && record.reason != CloseReason::backend_reset;
      Expect(ours, who + "FIN passed on for a reset");
    }
  }

  // Whatever ended the session: what we sent has leave to arrive, as long as its reader goes on
  // reading.
  bool MustHaveAll(const PeerLedger& receiver, const SessionRecord& record) const {
    const bool is_client = receiver.role == PeerRole::kClient;
    const CloseReason its_reset =
        is_client ? CloseReason::client_reset : CloseReason::backend_reset;
    const CloseReason its_loss = is_client ? CloseReason::client_lost : CloseReason::backend_lost;
    return receiver.prompt && !receiver.left_early && !receiver.vanished &&
           record.reason != its_reset && record.reason != its_loss && !world_.by_force &&
           !world_.wire_breaks && !world_.wire_delays;
  }

  void CheckReason(const PeerLedger& client, const PeerLedger& backend,
                   const SessionRecord& record) {
    const std::string who =
        client.address + " with " + backend.address + ": " + std::string(Name(record.reason));
    if (IsFin(record.reason)) {
      ExpectEqual(record.client_bytes, client.sent, who + ", client bytes");
      ExpectEqual(record.backend_bytes, backend.sent, who + ", backend bytes");
      Expect(client.finished && backend.finished, who + ", but not both finished");
    }
    Expect(record.client_bytes <= client.sent, who + ", more client bytes than were sent");
    Expect(record.backend_bytes <= backend.sent, who + ", more backend bytes than were sent");
    Expect(backend.got.size() <= record.client_bytes, who + ", client bytes not counted");
    Expect(client.got.size() <= record.backend_bytes, who + ", backend bytes not counted");
    Expect(record.reason != CloseReason::internal || world_.lacked, who + ", without a lack");
    Expect(record.reason != CloseReason::shutdown || world_.by_force, who + ", without one");
    Expect(record.reason != CloseReason::client_lost || client.vanished, who + ", is there");
    Expect(record.reason != CloseReason::backend_lost || backend.vanished, who + ", is there");
    Expect(record.phase == Phase::data, who + ", phase");
    if (world_.calm) {
      Expect(IsFin(record.reason), who + ", though nothing went wrong");
      Expect(client.end == Peer::End::kFin, who + ", client saw no FIN");
      Expect(backend.end == Peer::End::kFin, who + ", backend saw no FIN");
    }
  }

  void CheckUnpaired(const PeerLedger& backend) {
    for (const auto& [client, near] : world_.pairs) {
      if (near == backend.remote_address) return;
    }
    Expect(backend.got.empty(), backend.address + " got bytes of nobody");
  }

  const WorldLedger& world_;
  std::vector<std::string> found_;
};

}  // namespace

std::string Describe(const WorldLedger& world) {
  std::ostringstream out;
  const auto add = [&out](const char* role, const std::string& name, const PeerLedger& peer) {
    out << role << " " << name << ": sent " << peer.sent << ", got " << peer.got.size()
        << (peer.end == Peer::End::kFin     ? " and FIN"
            : peer.end == Peer::End::kReset ? " and RST"
                                            : "")
        << (peer.finished ? ", finished" : "") << (peer.reset ? ", reset" : "")
        << (peer.left_early ? ", left early" : "") << (peer.vanished ? ", vanished" : "") << "\n";
  };
  for (const PeerLedger& client : world.clients) add("client", client.address, client);
  for (const PeerLedger& backend : world.backends)
    add("backend of", backend.remote_address, backend);
  for (const auto& [client, near] : world.pairs)
    out << client << " is served from " << near << "\n";
  for (const auto& [client, record] : world.records) {
    out << "session of " << client << ": " << Name(record.reason) << " in " << Name(record.phase)
        << ", " << record.client_bytes << " and " << record.backend_bytes << " bytes, "
        << record.attempts << " attempts, " << record.total_ms << " ms\n";
  }
  return out.str();
}

std::vector<std::string> Check(const WorldLedger& world) { return Checker(world).Run(); }

}  // namespace l4lb
