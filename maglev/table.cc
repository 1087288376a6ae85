// SPDX-License-Identifier: Apache-2.0
#include "maglev/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "maglev/configuration.h"
#include "maglev/overlay.h"

namespace maglev {

struct Table::Configuration {
  std::vector<Node> nodes;  // In byte order of their keys.
  std::vector<size_t> input_positions;
  Options options;
  std::string warning;
  std::shared_ptr<const Slots> slots;  // With all nodes alive.
};

Table::Table(std::shared_ptr<const Configuration> configuration, std::shared_ptr<const Slots> slots,
             std::vector<bool> alive)
    : mod_(configuration->options.size),
      slots_(std::move(slots)),
      configuration_(std::move(configuration)),
      alive_(std::move(alive)) {
  for (size_t i = 0; i < alive_.size(); ++i) {
    if (alive_[i]) weight_sum_ += configuration_->nodes[i].weight;
  }
}

absl::StatusOr<Table> Table::Build(absl::Span<const Node> nodes, const Options& options) {
  auto configuration = std::make_shared<Configuration>();
  configuration->input_positions = ByKey(nodes);
  const absl::Status valid = Validate(nodes, configuration->input_positions, options.size);
  if (!valid.ok()) return valid;
  configuration->nodes.reserve(nodes.size());
  for (const size_t position : configuration->input_positions) {
    configuration->nodes.push_back(nodes[position]);
  }
  configuration->options = options;
  configuration->warning = SizeWarning(options.size, nodes.size());
  configuration->slots = std::make_shared<const Slots>(Fill(configuration->nodes, options));
  std::shared_ptr<const Slots> slots = configuration->slots;
  return Table(std::move(configuration), std::move(slots), std::vector<bool>(nodes.size(), true));
}

absl::StatusOr<Table> Table::WithAlive(absl::Span<const bool> alive) const {
  const std::vector<Node>& nodes = configuration_->nodes;
  if (alive.size() != nodes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("who is alive is said of ", alive.size(),
                                                   " nodes, but there are ", nodes.size()));
  }
  bool any_dead = false;
  bool any_alive = false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].weight == 0) continue;
    any_dead = any_dead || !alive[i];
    any_alive = any_alive || alive[i];
  }
  if (!any_alive) return absl::FailedPreconditionError("no node that has a weight is alive");
  std::shared_ptr<const Slots> slots = configuration_->slots;
  if (any_dead) slots = std::make_shared<const Slots>(Overlay(*slots, alive));
  return Table(configuration_, std::move(slots), std::vector<bool>(alive.begin(), alive.end()));
}

uint64_t Table::Hash(std::string_view bytes) const noexcept {
  return configuration_->options.hash(bytes, configuration_->options.seed);
}

size_t Table::nodes() const noexcept { return configuration_->nodes.size(); }
const std::string& Table::key(uint32_t node) const { return configuration_->nodes[node].key; }
uint32_t Table::weight(uint32_t node) const { return configuration_->nodes[node].weight; }
bool Table::alive(uint32_t node) const { return alive_[node]; }
size_t Table::input_position(uint32_t node) const { return configuration_->input_positions[node]; }
const std::string& Table::warning() const { return configuration_->warning; }

uint64_t Table::Checksum() const {
  const auto number = [](uint64_t value) {  // Eight bytes, the lowest first.
    std::string bytes(8, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(value);
      value >>= 8;
    }
    return bytes;
  };
  std::string head = number(size()) + number(configuration_->options.seed) + number(nodes());
  for (const Node& node : configuration_->nodes) head += number(node.key.size()) + node.key;
  return Xxh3(slots_->bytes(), Xxh3(head, 0));
}

}  // namespace maglev
