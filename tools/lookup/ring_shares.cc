// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/ring_shares.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "glog/logging.h"

namespace l4lb::lookup {
namespace {

constexpr int kNodes = 10;

std::vector<ring::Node> NamedNodes(int set) {
  std::vector<ring::Node> nodes;
  for (int i = 0; i < kNodes; ++i) nodes.push_back({absl::StrCat("cache-", set, "-", i), 1});
  return nodes;
}

}  // namespace

std::vector<double> ArcShares(const ring::Ring& ring, const ring::Hash& hash) {
  std::vector<double> shares(ring.nodes());
  const double circle = std::ldexp(1.0, hash.bits);
  double before = static_cast<double>(ring.point(ring.points() - 1)) - circle;
  for (size_t i = 0; i < ring.points(); ++i) {
    const auto here = static_cast<double>(ring.point(i));
    shares[ring.point_node(i)] += (here - before) / circle * static_cast<double>(ring.nodes());
    before = here;
  }
  return shares;
}

int RingShares::CountWithin(double limit) const {
  return static_cast<int>(std::upper_bound(peaks.begin(), peaks.end(), limit) - peaks.begin());
}

RingShares MeasureRings(const ring::Hash& hash, uint32_t points, int sets) {
  RingShares found;
  for (int set = 0; set < sets; ++set) {
    const absl::StatusOr<ring::Ring> ring =
        ring::Ring::Build(NamedNodes(set), {.points = points, .hash = hash});
    CHECK(ring.ok()) << ring.status();
    const std::vector<double> shares = ArcShares(*ring, hash);
    found.peaks.push_back(*std::max_element(shares.begin(), shares.end()));
    double squares = 0;
    for (const double share : shares) squares += (share - 1) * (share - 1);
    found.stddev += std::sqrt(squares / kNodes) / sets;
  }
  std::sort(found.peaks.begin(), found.peaks.end());
  return found;
}

}  // namespace l4lb::lookup
