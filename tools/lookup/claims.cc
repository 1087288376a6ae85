// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/claims.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/lookup/textbook_ring.h"
#include "glog/logging.h"
#include "ring/ring.h"
#include "tools/lookup/algorithms.h"
#include "tools/lookup/disruption.h"
#include "tools/lookup/ring_shares.h"
#include "tools/lookup/timing.h"

namespace l4lb::lookup {
namespace {

constexpr uint32_t kPoints = 256;
constexpr double kLookupClaimNs = 78;

// By name among those that the claims are about.
const Algorithm& Find(const std::vector<Algorithm>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Algorithm& one) { return one.name == name; });
  CHECK(found != all.end()) << name;
  return *found;
}

std::vector<Claim> AboutMovement(const std::vector<Algorithm>& all,
                                 absl::Span<const uint64_t> hashes) {
  const std::vector<Change> modulo = MeasureGrowth(Find(all, "modulo"), hashes);
  const std::vector<Change> ring = MeasureGrowth(Find(all, "ring"), hashes);
  const Movement& ring_growth = *ring[1].movement;
  return {{.claim = "hash % N moves 80 % of the keys from 8 to 10 nodes",
           .expected = 80,
           .tolerance = 1,
           .measured = 100 * modulo[0].movement->moved,
           .unit = "%"},
          {.claim = "hash % N moves 90 % of the keys from 9 to 10 nodes, N / (N + 1)",
           .expected = 90,
           .tolerance = 1,
           .measured = 100 * modulo[1].movement->moved,
           .unit = "%"},
          {.claim = "a ring moves about 10 % of the keys from 9 to 10 nodes, K / N",
           .expected = 10,
           .tolerance = 2,
           .measured = 100 * ring_growth.moved,
           .unit = "%",
           .note = absl::StrFormat("V = 256; %.2f %% of the keys moved in vain",
                                   100 * ring_growth.extra)}};
}

void AddEvenness(const std::string& hash_name, const RingShares& shares,
                 std::vector<Claim>* claims) {
  for (const int percent : {8, 6, 3}) {
    const int within = shares.CountWithin(1 + percent / 100.0);
    claims->push_back({.claim = absl::StrCat("V = 256 keeps the maximum within ", percent,
                                             " % of the mean (", hash_name, ")"),
                       .rule = Rule::kAtMost,
                       .expected = static_cast<double>(percent),
                       .measured = 100 * (shares.median() - 1),
                       .unit = "%",
                       .note = absl::StrFormat(
                           "median of %d sets of ten names; within %d %% in %d of them, "
                           "from %.1f to %.1f %%",
                           shares.peaks.size(), percent, within, 100 * (shares.peaks.front() - 1),
                           100 * (shares.peaks.back() - 1))});
  }
}

std::vector<Claim> AboutEvenness(int sets) {
  std::vector<Claim> claims;
  AddEvenness("FNV-1a", MeasureRings(ring::kFnv1a32, kPoints, sets), &claims);
  AddEvenness("XXH3", MeasureRings(ring::kXxh3, kPoints, sets), &claims);
  const double few = MeasureRings(ring::kXxh3, 40, sets).stddev;
  const double many = MeasureRings(ring::kXxh3, 1000, sets).stddev;
  claims.push_back({.claim = "spread falls as 1 / sqrt(V): by 5 from V = 40 to V = 1000",
                    .expected = 5,
                    .tolerance = 0.75,
                    .measured = few / many,
                    .unit = "x",
                    .note = absl::StrFormat("standard deviation %.1f %% and %.1f %% (XXH3)",
                                            100 * few, 100 * many)});
  return claims;
}

ring::Ring RingOfTen() {
  std::vector<ring::Node> nodes;
  for (const Node& node : EqualNodes(10)) nodes.push_back({KeyOf(node), 1});
  absl::StatusOr<ring::Ring> ring = ring::Ring::Build(nodes, {.points = kPoints});
  CHECK(ring.ok()) << ring.status();
  return *std::move(ring);
}

// Of sessions that all stay, half are of one flow: without a bound one node would have most of
// them.
Claim AboutBoundedLoad(absl::Span<const uint64_t> hashes) {
  constexpr uint64_t kSessions = 1'000;
  const ring::Ring ring = RingOfTen();
  std::vector<uint64_t> loads(ring.nodes());
  for (uint64_t total = 0; total < kSessions; ++total) {
    const auto load = [&](uint32_t node) { return loads[node]; };
    ++loads[ring.PickBounded(total % 2 == 0 ? hashes[0] : hashes[total], total, 125, load)];
  }
  const auto most = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
  return {.claim = "bounded loads: no node above ceil(1.25 x mean)",
          .rule = Rule::kAtMost,
          .expected = 1.25,
          .measured = most * static_cast<double>(ring.nodes()) / kSessions,
          .unit = "x",
          .note = "ring, V = 256, 10 nodes, 1,000 sessions, half of them of one key"};
}

Claim AboutJumpMemory(const std::vector<Algorithm>& all) {
  const Algorithm& jump = Find(all, "jump");
  const auto bytes = [&](uint32_t nodes) {
    return static_cast<double>(Make(jump, EqualNodes(nodes))->memory_bytes());
  };
  return {.claim = "jump hash needs no memory for nodes",
          .expected = 0,
          .measured = bytes(1000) - bytes(10),
          .unit = "B",
          .note = "what 1,000 nodes take more than 10"};
}

// Of lookups by name, hashing included: throughput.  So many names that no branch predictor learns
// them by heart.
template <class Lookup>
double NanosecondsByName(const Effort& effort, Lookup lookup) {
  constexpr uint64_t kNames = 65'536;
  std::vector<std::string> names;
  for (uint64_t i = 0; i < kNames; ++i) names.push_back(absl::StrCat("user:", 1'000'000 + i));
  uint64_t next = 0;
  const auto work = [&](uint64_t times) {
    for (uint64_t i = 0; i < times; ++i) {
      const uint32_t found = lookup(names[next++ % kNames]);
      asm volatile("" : : "r"(found));
    }
  };
  return NanosecondsEach(effort, work).median;
}

std::vector<Claim> AboutTime(const std::vector<Algorithm>& all, const Effort& effort) {
  ::lookup::TextbookRing textbook(kPoints);
  for (const Node& node : EqualNodes(10)) textbook.Add(KeyOf(node), 1);
  const ring::Ring ring = RingOfTen();
  const auto maglev_ns = [&](uint32_t nodes) {
    const std::unique_ptr<Subject> table = Make(Find(all, "maglev"), EqualNodes(nodes));
    return NanosecondsEach(effort, [&](uint64_t times) { table->LookUpChained(times); }).median;
  };
  const double few = maglev_ns(10);
  const double many = maglev_ns(1000);
  const std::string how = "N = 10, keys of 12 bytes, one thread; hashing included";
  return {{.claim = "78 ns for a lookup in a ring, V = 256, bisection under a read lock",
           .rule = Rule::kAtMost,
           .expected = kLookupClaimNs,
           .measured = NanosecondsByName(
               effort, [&](const std::string& name) { return *textbook.Lookup(name); }),
           .unit = "ns",
           .note = how + " (claimed on a Graviton3)"},
          {.claim = "our ring takes at most half of these 78 ns",
           .rule = Rule::kAtMost,
           .expected = kLookupClaimNs / 2,
           .measured = NanosecondsByName(
               effort, [&](const std::string& name) { return ring.Lookup(name); }),
           .unit = "ns",
           .note = how},
          {.claim = "Maglev looks up in O(1): 1,000 nodes take no longer than 10",
           .rule = Rule::kAtMost,
           .expected = 1.25,
           .measured = many / few,
           .unit = "x",
           .note = absl::StrFormat("%.1f and %.1f ns, latency, 65,537 slots", few, many)}};
}

void Append(std::vector<Claim> more, std::vector<Claim>* claims) {
  for (Claim& claim : more) claims->push_back(std::move(claim));
}

}  // namespace

std::vector<Claim> CheckClaims(const Options& options, absl::Span<const uint64_t> hashes) {
  const std::vector<Algorithm> all = AllAlgorithms({.points = {kPoints}, .table_sizes = {65537}});
  std::vector<Claim> claims = AboutMovement(all, hashes);
  Append(AboutEvenness(options.effort.name_sets), &claims);
  Append({AboutBoundedLoad(hashes), AboutJumpMemory(all)}, &claims);
  Append(AboutTime(all, options.effort), &claims);
  return claims;
}

}  // namespace l4lb::lookup
