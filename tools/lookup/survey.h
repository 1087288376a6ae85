// SPDX-License-Identifier: Apache-2.0
//
// One run of l4lb-lookup: every algorithm at every number of nodes, and the claims.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "tools/lookup/claims.h"
#include "tools/lookup/disruption.h"
#include "tools/lookup/options.h"
#include "tools/lookup/timing.h"

namespace l4lb::lookup {

struct Row {
  std::string algorithm;
  uint32_t table_size = 0;
  uint32_t points = 0;
  uint32_t nodes = 0;
  Timing lookup_ns;   // Throughput.
  Timing latency_ns;  // Each lookup waits for the one before.
  Timing build_ms;
  uint64_t memory_bytes = 0;
  std::vector<double> shares;  // Of each node, in means: 1 is fair.
  double peak_to_mean = 0;
  double stddev = 0;  // Of the shares.
  std::vector<Change> disruption;
};

struct Survey {
  std::vector<Row> rows;
  /// The same loops with nothing to look up: the part of every lookup that is not the algorithm's.
  Timing empty_lookup_ns;
  Timing empty_latency_ns;
  std::vector<Claim> claims;
};

/// The name with what distinguishes it: `ring V=256`, `maglev 65537`.
std::string TitleOf(const std::string& algorithm, uint32_t table_size, uint32_t points);

/// Seeded; the keys of all measurements but those of time.
std::vector<uint64_t> KeyHashes(uint64_t seed, uint32_t count);

/// `progress(what)` is called before each part.
Survey Run(const Options& options, absl::FunctionRef<void(const std::string&)> progress);

}  // namespace l4lb::lookup
