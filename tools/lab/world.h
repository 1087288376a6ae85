// SPDX-License-Identifier: Apache-2.0
//
// What is simulated: backends that serve one request at a time, clients that send at random times,
// and balancers between them.
#pragma once

#include <cstdint>

#include "tools/lab/variates.h"

namespace l4lb::lab {

/// Where a connection waits when backends have as many as they may: `queue.per`.
enum class QueuePer : uint8_t { kBackend, kPool };

struct World {
  int backends = 4;  // There from the start; the last `slow` of them are slow.
  int slow = 0;
  double slow_factor = 3;  // They take so many times as long.
  /// How busy all backends are that are there from the start: arrivals come at this share of what
  /// they can do.
  double utilisation = 0.7;
  double mean_ms = 4;  // Of a request at a backend that is not slow.
  Service service = Service::kExponential;
  double shape = 2.5;  // Of Service::kPareto.

  int balancers = 1;  // Each sees what it has sent itself, and nothing else.
  int limit = 0;      // max_connections of a backend, of each balancer; 0: none.
  QueuePer queue_per = QueuePer::kBackend;

  int connections = 0;        // That last and carry requests together; 0: one for each request.
  int requests_each = 0;      // Of a lasting connection, in the mean (geometric); 0: it never ends.
  int clients = 0;            // For hash policies: so many addresses; 0: each connection its own.
  int joining = 0;            // Further backends, which come later.
  int64_t join_ms = 0;        // When, after the warm-up.
  int64_t slow_start_ms = 0;  // Of these; see `slow_start` of the configuration.
  int slow_start_floor_percent = 10;

  int64_t duration_ms = 8'000;  // How long requests come; those that came are all served.
  int64_t warmup_ms = 0;        // What comes before this, in front of it, is not measured.

  friend bool operator==(const World&, const World&) = default;

  int all_backends() const { return backends + joining; }
  bool is_slow(int backend) const { return backend >= backends - slow && backend < backends; }
  double mean_ms_of(int backend) const {
    return is_slow(backend) ? mean_ms * slow_factor : mean_ms;
  }
  /// Requests a second.
  double rate() const {
    const double normal = backends - slow;
    return utilisation * 1'000 / mean_ms * (normal + slow / slow_factor);
  }
};

}  // namespace l4lb::lab
