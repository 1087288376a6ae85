// SPDX-License-Identifier: Apache-2.0
#include "ring/nodes.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace ring {
namespace {

// Eight bytes, the lowest first.
void AppendNumber(std::string& bytes, uint64_t number) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i));
}

absl::Status ValidatePoints(absl::Span<const Node> nodes, uint32_t points) {
  if (points == 0) return absl::InvalidArgumentError("a ring needs at least one point per node");
  uint64_t total = 0;
  for (const Node& node : nodes) total += uint64_t{node.weight} * points;
  if (total == 0) return absl::InvalidArgumentError("all weights are 0");
  if (total > Ring::kMaxPoints) {
    return absl::InvalidArgumentError(absl::StrCat(points, " points for each unit of weight are ",
                                                   total, " points, above the maximum of ",
                                                   Ring::kMaxPoints));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<size_t> ByKey(absl::Span<const Node> nodes) {
  std::vector<size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return nodes[a].key < nodes[b].key; });
  return order;
}

absl::Status Validate(absl::Span<const Node> nodes, absl::Span<const size_t> order,
                      uint32_t points) {
  if (nodes.empty()) return absl::InvalidArgumentError("there are no nodes");
  if (nodes.size() > Ring::kMaxNodes) {
    return absl::InvalidArgumentError(
        absl::StrCat(nodes.size(), " nodes are more than a ring can have, ", Ring::kMaxNodes));
  }
  const auto twice = std::adjacent_find(
      order.begin(), order.end(), [&](size_t a, size_t b) { return nodes[a].key == nodes[b].key; });
  if (twice != order.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the key \"", absl::CHexEscape(nodes[*twice].key), "\" occurs twice"));
  }
  return ValidatePoints(nodes, points);
}

std::vector<Point> PointsOf(absl::Span<const Node> nodes, const Options& options) {
  std::vector<Point> points;
  std::vector<uint64_t> of_node;
  for (size_t i = 0; i < nodes.size(); ++i) {
    of_node.resize(size_t{nodes[i].weight} * options.points);
    options.hash.points(nodes[i].key, options.seed, absl::MakeSpan(of_node));
    for (const uint64_t point : of_node) {
      points.push_back({point << (64 - options.hash.bits), static_cast<uint16_t>(i)});
    }
  }
  return points;
}

uint64_t ChecksumOf(absl::Span<const Node> nodes, uint64_t seed, const PointIndex& index) {
  std::string bytes;
  AppendNumber(bytes, seed);
  AppendNumber(bytes, nodes.size());
  for (const Node& node : nodes) {
    AppendNumber(bytes, node.key.size());
    bytes += node.key;
  }
  bytes.reserve(bytes.size() + index.size() * 16);
  for (size_t i = 0; i < index.size(); ++i) {
    AppendNumber(bytes, index.position(i));
    AppendNumber(bytes, index.node(i));
  }
  return kXxh3.hash(bytes, 0);
}

}  // namespace ring
