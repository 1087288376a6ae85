// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/lookup.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "maglev/candidates.h"
#include "maglev/table.h"
#include "ring/ring.h"

namespace l4lb {
namespace {

// `Node` is that of maglev or of ring.
template <typename Node>
std::vector<Node> NodesOf(const std::vector<LookupNode>& nodes) {
  std::vector<Node> result;
  result.reserve(nodes.size());
  for (const LookupNode& node : nodes) result.push_back({node.name, node.weight});
  return result;
}

// From a node of the table to the policy's index.
template <typename Table>
std::vector<int> IndicesOf(const Table& table, const std::vector<LookupNode>& nodes) {
  std::vector<int> indices(table.nodes());
  for (uint32_t node = 0; node < indices.size(); ++node) {
    indices[node] = nodes[table.input_position(node)].index;
  }
  return indices;
}

// Whether a node may take one more session: eligible, and below its bounded load.
template <typename CapOf>
class Acceptance {
 public:
  Acceptance(const Candidates& candidates, const std::vector<int>& indices, bool bounded,
             CapOf cap_of)
      : candidates_(candidates), indices_(indices), bounded_(bounded), cap_of_(cap_of) {
    if (!bounded) return;
    for (const int index : indices) total_ += static_cast<uint64_t>(candidates.Active(index));
  }

  bool Eligible(uint32_t node) const { return candidates_.Eligible(indices_[node]); }
  bool operator()(uint32_t node) const {
    if (!Eligible(node)) return false;
    const auto active = static_cast<uint64_t>(candidates_.Active(indices_[node]));
    return !bounded_ || active < cap_of_(node, total_);
  }

 private:
  const Candidates& candidates_;
  const std::vector<int>& indices_;
  const bool bounded_;
  const CapOf cap_of_;
  uint64_t total_ = 0;
};

class MaglevLookup final : public Lookup {
 public:
  MaglevLookup(maglev::Table table, std::vector<int> indices, uint32_t bounded_percent)
      : table_(std::move(table)),
        indices_(std::move(indices)),
        bounded_percent_(bounded_percent),
        checksum_(table_.Checksum()) {}

  int Pick(const Candidates& candidates, uint64_t flow_key) const override {
    const Acceptance accepts(candidates, indices_, bounded_percent_ > 0,
                             [this](uint32_t node, uint64_t total) {
                               return maglev::LoadCap(table_, node, total, bounded_percent_);
                             });
    const uint32_t first = table_.Lookup(flow_key);
    if (accepts(first)) return indices_[first];
    // The bound gives way to eligibility: whoever is eligible comes before nobody.
    std::optional<uint32_t> spare;
    maglev::Candidates order(table_, flow_key);
    while (const std::optional<uint32_t> node = order.Next()) {
      if (accepts(*node)) return indices_[*node];
      if (!spare && accepts.Eligible(*node)) spare = node;
    }
    return spare ? indices_[*spare] : Policy::kNone;
  }

  uint64_t checksum() const override { return checksum_; }
  std::string size_text() const override { return absl::StrCat(table_.size(), " slots"); }
  std::string warning() const override { return table_.warning(); }
  void Dump(std::ostream& out) const override {
    for (uint32_t slot = 0; slot < table_.size(); ++slot) {
      out << slot << ' ' << table_.key(table_.owner(slot)) << '\n';
    }
  }

 private:
  const maglev::Table table_;
  const std::vector<int> indices_;
  const uint32_t bounded_percent_;
  const uint64_t checksum_;
};

class RingLookup final : public Lookup {
 public:
  RingLookup(ring::Ring ring, std::vector<int> indices, uint32_t bounded_percent)
      : ring_(std::move(ring)),
        indices_(std::move(indices)),
        bounded_percent_(bounded_percent),
        checksum_(ring_.Checksum()) {}

  int Pick(const Candidates& candidates, uint64_t flow_key) const override {
    const Acceptance accepts(candidates, indices_, bounded_percent_ > 0,
                             [this](uint32_t node, uint64_t total) {
                               return ring_.LoadCap(node, total, bounded_percent_);
                             });
    std::optional<uint32_t> node = ring_.FirstAccepted(flow_key, accepts);
    if (!node) {
      node = ring_.FirstAccepted(flow_key, [&](uint32_t other) { return accepts.Eligible(other); });
    }
    return node ? indices_[*node] : Policy::kNone;
  }

  uint64_t checksum() const override { return checksum_; }
  std::string size_text() const override { return absl::StrCat(ring_.points(), " points"); }
  std::string warning() const override { return ""; }
  void Dump(std::ostream& out) const override {
    for (size_t i = 0; i < ring_.points(); ++i) {
      out << ring_.point(i) << ' ' << ring_.key(ring_.point_node(i)) << '\n';
    }
  }

 private:
  const ring::Ring ring_;
  const std::vector<int> indices_;
  const uint32_t bounded_percent_;
  const uint64_t checksum_;
};

class LookupPolicy final : public Policy {
 public:
  explicit LookupPolicy(std::shared_ptr<const Lookup> lookup) : lookup_(std::move(lookup)) {}

  int Pick(const Candidates& candidates, uint64_t flow_key) override {
    return lookup_->Pick(candidates, flow_key);
  }
  void ContinueFrom(const Policy&) override {}

 private:
  const std::shared_ptr<const Lookup> lookup_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Lookup>> BuildMaglev(const std::vector<LookupNode>& nodes,
                                                          const LookupOptions& options) {
  absl::StatusOr<maglev::Table> table =
      maglev::Table::Build(NodesOf<maglev::Node>(nodes), {.size = options.table_size});
  if (!table.ok()) return table.status();
  std::vector<int> indices = IndicesOf(*table, nodes);
  return std::make_shared<MaglevLookup>(*std::move(table), std::move(indices),
                                        options.bounded_percent);
}

absl::StatusOr<std::shared_ptr<const Lookup>> BuildRing(const std::vector<LookupNode>& nodes,
                                                        const LookupOptions& options) {
  absl::StatusOr<ring::Ring> made =
      ring::Ring::Build(NodesOf<ring::Node>(nodes), {.points = options.points});
  if (!made.ok()) return made.status();
  std::vector<int> indices = IndicesOf(*made, nodes);
  return std::make_shared<RingLookup>(*std::move(made), std::move(indices),
                                      options.bounded_percent);
}

std::unique_ptr<Policy> MakeLookupPolicy(std::shared_ptr<const Lookup> lookup) {
  return std::make_unique<LookupPolicy>(std::move(lookup));
}

}  // namespace l4lb
