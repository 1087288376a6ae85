// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/survey.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "benchmarks/lookup/mix.h"
#include "tools/lookup/algorithms.h"

namespace l4lb::lookup {
namespace {

Timing Throughput(const Subject& subject, const Effort& effort) {
  return NanosecondsEach(effort, [&](uint64_t times) { subject.LookUpApart(times); });
}

Timing Latency(const Subject& subject, const Effort& effort) {
  return NanosecondsEach(effort, [&](uint64_t times) { subject.LookUpChained(times); });
}

void MeasureShares(const Subject& subject, absl::Span<const uint64_t> hashes, Row* row) {
  std::vector<uint32_t> owners(hashes.size());
  subject.FindOwners(hashes, absl::MakeSpan(owners));
  row->shares.assign(row->nodes, 0);
  const double one = row->nodes / static_cast<double>(hashes.size());
  for (const uint32_t owner : owners) row->shares[owner] += one;
  double squares = 0;
  for (const double share : row->shares) squares += (share - 1) * (share - 1);
  row->stddev = std::sqrt(squares / row->nodes);
  row->peak_to_mean = *std::max_element(row->shares.begin(), row->shares.end());
}

Row Measure(const Algorithm& algorithm, uint32_t nodes, const Effort& effort,
            absl::Span<const uint64_t> hashes) {
  const std::vector<Node> all = EqualNodes(nodes);
  Row row = {.algorithm = algorithm.name,
             .table_size = algorithm.table_size,
             .points = algorithm.points,
             .nodes = nodes};
  std::unique_ptr<Subject> subject;
  row.build_ms = Milliseconds(effort, [&] { subject = Make(algorithm, all); });
  row.memory_bytes = subject->memory_bytes();
  row.lookup_ns = Throughput(*subject, effort);
  row.latency_ns = Latency(*subject, effort);
  MeasureShares(*subject, hashes, &row);
  row.disruption = MeasureChanges(algorithm, nodes, hashes);
  return row;
}

}  // namespace

std::string TitleOf(const std::string& algorithm, uint32_t table_size, uint32_t points) {
  if (table_size > 0) return absl::StrCat(algorithm, " ", table_size);
  return points > 1 ? absl::StrCat(algorithm, " V=", points) : algorithm;
}

std::vector<uint64_t> KeyHashes(uint64_t seed, uint32_t count) {
  std::vector<uint64_t> hashes;
  hashes.reserve(count);
  const uint64_t start = ::lookup::Mix(seed);
  for (uint64_t i = 0; i < count; ++i) hashes.push_back(::lookup::Mix(start + i));
  return hashes;
}

Survey Run(const Options& options, absl::FunctionRef<void(const std::string&)> progress) {
  const std::vector<uint64_t> hashes = KeyHashes(options.seed, options.effort.keys);
  const std::vector<Algorithm> algorithms = AllAlgorithms(options);
  Survey survey;
  const std::unique_ptr<Subject> empty = MakeEmpty();
  survey.empty_lookup_ns = Throughput(*empty, options.effort);
  survey.empty_latency_ns = Latency(*empty, options.effort);
  for (const uint32_t nodes : options.nodes) {
    for (const Algorithm& algorithm : algorithms) {
      progress(absl::StrCat(
          nodes, " nodes: ", TitleOf(algorithm.name, algorithm.table_size, algorithm.points)));
      Row row = Measure(algorithm, nodes, options.effort, hashes);
      for (Change& change : MeasureGrowth(algorithm, hashes)) {
        row.disruption.push_back(std::move(change));
      }
      survey.rows.push_back(std::move(row));
    }
  }
  progress("claims");
  survey.claims = CheckClaims(options, hashes);
  return survey;
}

}  // namespace l4lb::lookup
