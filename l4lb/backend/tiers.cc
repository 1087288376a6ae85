// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/tiers.h"

namespace l4lb {
namespace {

bool IsFit(const Standing& it) { return it.ready && it.fitness == Fitness::kFit; }

struct Counts {
  int64_t proven = 0;  // All three of those that are no backups.
  int64_t fit = 0;
  int64_t unproven = 0;
  int64_t fit_backups = 0;
};

Counts Count(absl::Span<const Standing> backends) {
  Counts counts;
  for (const Standing& it : backends) {
    if (!it.ready) continue;
    if (it.backup) {
      counts.fit_backups += IsFit(it);
      continue;
    }
    counts.fit += IsFit(it);
    const bool unproven = it.fitness == Fitness::kUnproven;
    (unproven ? counts.unproven : counts.proven) += 1;
  }
  return counts;
}

}  // namespace

Tiers DecideTiers(absl::Span<const Standing> backends, int64_t fail_open_percent) {
  const Counts counts = Count(backends);
  const bool few = counts.fit == 0 || counts.fit * 100 < counts.proven * fail_open_percent;
  const bool backups_help = few && counts.fit_backups > 0;
  const bool alone = few && !backups_help;
  const bool unproven_help = alone && counts.fit == 0 && counts.unproven > 0;
  Tiers tiers;
  tiers.fit = counts.fit + counts.fit_backups;
  tiers.fail_open = alone && !unproven_help && fail_open_percent > 0 && counts.proven > 0;
  tiers.open.reserve(backends.size());
  for (const Standing& it : backends) {
    const bool unproven = it.fitness == Fitness::kUnproven;
    const bool last_resort = tiers.fail_open || (unproven && unproven_help && !it.backup);
    const bool fit = IsFit(it) && (!it.backup || backups_help);
    tiers.open.push_back(it.ready && (fit || last_resort));
  }
  return tiers;
}

}  // namespace l4lb
