// SPDX-License-Identifier: Apache-2.0
//
// What is commonly said about these algorithms, each beside what is measured.  The sizes are those
// of the claims, whatever --nodes, --points and --table_sizes say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/lookup/options.h"

namespace l4lb::lookup {

enum class Rule { kAbout, kAtMost };

struct Claim {
  std::string claim;
  Rule rule = Rule::kAbout;
  double expected = 0;
  double tolerance = 0;  // kAbout: how far off still counts, in the unit.
  double measured = 0;
  std::string unit;  // `%`, `ns`, `x` (times), `B`.
  std::string note;  // How it was measured; what else the measurement says.

  bool holds() const {
    if (rule == Rule::kAtMost) return measured <= expected;
    return measured >= expected - tolerance && measured <= expected + tolerance;
  }
};

/// Those about movement, shares and memory depend on `hashes` and options.effort.name_sets only;
/// those whose unit is ns or whose claim says how long a lookup takes are timed.
std::vector<Claim> CheckClaims(const Options& options, absl::Span<const uint64_t> hashes);

}  // namespace l4lb::lookup
