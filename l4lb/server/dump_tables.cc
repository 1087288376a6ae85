// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/dump_tables.h"

#include <cerrno>
#include <fstream>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "l4lb/net/errno_text.h"
#include "l4lb/server/build_pool.h"
#include "l4lb/server/managed_pool.h"

namespace l4lb {

absl::Status DumpTables(const Config& config, const std::string& path) {
  std::ofstream out(path);
  size_t tables = 0;
  for (const Config::Pool& pool : config.pools) {
    if (pool.policy != Config::Policy::kMaglev && pool.policy != Config::Policy::kRing) continue;
    const absl::StatusOr<std::unique_ptr<ManagedPool>> managed =
        ManagedPool::Make(1, pool, 1, ManagedPool::Birth::kAtStart);
    if (!managed.ok()) return managed.status();
    const Lookup& lookup = *(*managed)->snapshot()->lookup;
    out << absl::StrFormat("# pool %s %s %s checksum %016x\n", pool.name,
                           std::string(Name(PolicyOf(pool.policy))), lookup.size_text(),
                           lookup.checksum());
    lookup.Dump(out);
    ++tables;
  }
  out.flush();
  if (!out) return absl::InternalError(absl::StrCat("cannot write ", path, ": ", ErrnoText(errno)));
  if (tables > 0) return absl::OkStatus();
  return absl::InvalidArgumentError("no pool has the policy maglev or ring: there is no table");
}

}  // namespace l4lb
