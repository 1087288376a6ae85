// SPDX-License-Identifier: Apache-2.0
#include "ring/ring.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "ring/nodes.h"

namespace ring {

struct Ring::Configuration {
  std::vector<Node> nodes;  // In byte order of their keys.
  std::vector<size_t> input_positions;
  Options options;
  uint64_t weight_sum = 0;
  std::shared_ptr<const PointIndex> index;  // With all nodes alive.
};

Ring::Ring(std::shared_ptr<const Configuration> configuration,
           std::shared_ptr<const PointIndex> index, uint64_t weight_sum)
    : index_(std::move(index)),
      spare_bits_(64 - configuration->options.hash.bits),
      weight_sum_(weight_sum),
      configuration_(std::move(configuration)) {}

absl::StatusOr<Ring> Ring::Build(absl::Span<const Node> nodes, const Options& options) {
  auto configuration = std::make_shared<Configuration>();
  configuration->input_positions = ByKey(nodes);
  const absl::Status valid = Validate(nodes, configuration->input_positions, options.points);
  if (!valid.ok()) return valid;
  configuration->nodes.reserve(nodes.size());
  for (const size_t position : configuration->input_positions) {
    configuration->nodes.push_back(nodes[position]);
    configuration->weight_sum += nodes[position].weight;
  }
  configuration->options = options;
  configuration->index =
      std::make_shared<const PointIndex>(PointsOf(configuration->nodes, options));
  std::shared_ptr<const PointIndex> index = configuration->index;
  const uint64_t weight_sum = configuration->weight_sum;
  return Ring(std::move(configuration), std::move(index), weight_sum);
}

absl::StatusOr<Ring> Ring::WithAlive(absl::Span<const bool> alive) const {
  if (alive.size() != nodes()) {
    return absl::InvalidArgumentError(
        absl::StrCat("who is alive is said of ", alive.size(), " nodes, but there are ", nodes()));
  }
  uint64_t weight_sum = 0;
  for (size_t i = 0; i < alive.size(); ++i) {
    if (alive[i]) weight_sum += configuration_->nodes[i].weight;
  }
  if (weight_sum == 0) {
    return absl::FailedPreconditionError("no node that has a weight is alive");
  }
  const PointIndex& all = *configuration_->index;
  if (weight_sum == configuration_->weight_sum) {
    return Ring(configuration_, configuration_->index, weight_sum);
  }
  std::vector<Point> points;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto node = static_cast<uint16_t>(all.node(i));
    if (alive[node]) points.push_back({all.position(i), node});
  }
  return Ring(configuration_, std::make_shared<const PointIndex>(points), weight_sum);
}

uint64_t Ring::HashOf(std::string_view bytes) const noexcept {
  return configuration_->options.hash.hash(bytes, configuration_->options.seed);
}

std::optional<uint32_t> Ring::FirstAccepted(uint64_t hash,
                                            absl::FunctionRef<bool(uint32_t)> accept) const {
  size_t at = Find(hash);
  for (size_t i = 0; i < index_->size(); ++i, at = index_->Next(at)) {
    const uint32_t node = index_->node(at);
    if (accept(node)) return node;
  }
  return std::nullopt;
}

size_t Ring::Replicas(uint64_t hash, absl::Span<uint32_t> out) const {
  if (out.empty()) return 0;
  absl::InlinedVector<uint64_t, 16> seen(nodes() / 64 + 1);  // A bit per node.
  size_t count = 0;
  FirstAccepted(hash, [&](uint32_t node) {
    uint64_t& word = seen[node / 64];
    const uint64_t bit = uint64_t{1} << (node % 64);
    if ((word & bit) == 0) out[count++] = node;
    word |= bit;
    return count == out.size();
  });
  return count;
}

uint64_t Ring::LoadCap(uint32_t node, uint64_t total, uint32_t percent) const {
  __extension__ using Wide = unsigned __int128;
  const Wide part = Wide{total} + 1;
  const Wide divisor = Wide{100} * weight_sum_;
  return static_cast<uint64_t>((part * percent * weight(node) + divisor - 1) / divisor);
}

uint32_t Ring::PickBounded(uint64_t hash, uint64_t total, uint32_t percent,
                           absl::FunctionRef<uint64_t(uint32_t)> load) const {
  const std::optional<uint32_t> picked = FirstAccepted(
      hash, [&](uint32_t node) { return load(node) < LoadCap(node, total, percent); });
  return picked.value_or(Lookup(hash));
}

size_t Ring::nodes() const noexcept { return configuration_->nodes.size(); }
const std::string& Ring::key(uint32_t node) const { return configuration_->nodes[node].key; }
uint32_t Ring::weight(uint32_t node) const { return configuration_->nodes[node].weight; }
size_t Ring::input_position(uint32_t node) const { return configuration_->input_positions[node]; }

uint64_t Ring::Checksum() const {
  return ChecksumOf(configuration_->nodes, configuration_->options.seed, *index_);
}

}  // namespace ring
