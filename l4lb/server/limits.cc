// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/limits.h"

#include <sched.h>

#include <algorithm>

#include "l4lb/config/admin_address.h"
#include "l4lb/net/listen.h"
#include "l4lb/proxy/listener_limits.h"

namespace l4lb {

Limits ComputeLimits(int64_t open_files, int64_t workers, int64_t sockets, int64_t wanted) {
  const int64_t of_worker = kFdsOfWorker + std::max<int64_t>(sockets - kFewSockets, 0);
  const int64_t others = kFdsOfProcess + of_worker * workers;
  const int64_t possible = std::max<int64_t>((open_files - others) / kFdsOfSession, 1);
  return {.open_files = open_files,
          .max_connections = wanted == 0 ? possible : std::min(wanted, possible),
          .wanted_files = wanted * kFdsOfSession + others,
          .clamped = wanted > possible};
}

Limits LimitsFor(const Config& config) {
  int64_t sockets = 0;
  for (const Config::Listener& listener : config.listeners) {
    sockets += static_cast<int64_t>(listener.bind.size());
  }
  const int64_t open_files = RaiseOpenFileLimit();
  const int64_t of_admin = config.admin.bind == kAdminOff ? 0 : FdsOfAdmin(open_files);
  const int64_t others = of_admin + FdsOfChecks(config, open_files);
  Limits limits = ComputeLimits(open_files - others, WorkersFor(config.workers), sockets,
                                config.max_connections);
  limits.open_files = open_files;
  limits.wanted_files += others;
  return limits;
}

int64_t FdsOfAdmin(int64_t open_files) { return std::clamp<int64_t>(open_files / 16, 12, 96); }

int64_t FdsOfChecks(const Config& config, int64_t open_files) {
  int64_t backends = 0;
  for (const Config::Pool& pool : config.pools) {
    if (pool.health_check.type == Config::CheckType::kNone) continue;
    backends += static_cast<int64_t>(pool.backends.size());
  }
  // A backend more may come by the API, or stand behind a name.
  return backends == 0 ? 0 : std::clamp<int64_t>(open_files / 16, 1, backends + 8);
}

int WorkersFor(int64_t wanted) {
  if (wanted > 0) return static_cast<int>(wanted);
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::max(CPU_COUNT(&cores), 1);
}

}  // namespace l4lb
