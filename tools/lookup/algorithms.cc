// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/algorithms.h"

#include <utility>

#include "absl/status/statusor.h"
#include "benchmarks/lookup/jump.h"
#include "benchmarks/lookup/modulo.h"
#include "benchmarks/lookup/multi_probe.h"
#include "benchmarks/lookup/rendezvous.h"
#include "benchmarks/lookup/textbook_ring.h"
#include "glog/logging.h"
#include "maglev/table.h"
#include "ring/ring.h"

namespace l4lb::lookup {
namespace {

constexpr uint32_t kTextbookPoints = 256;

struct Empty {
  uint32_t Lookup(uint64_t hash) const { return static_cast<uint32_t>(hash & 1); }
  static constexpr uint64_t memory_bytes() { return 0; }
};

// It is asked by hash as the others are.
struct Textbook {
  ::lookup::TextbookRing ring{kTextbookPoints};
  uint32_t Lookup(uint64_t hash) const { return *ring.Lookup(static_cast<uint32_t>(hash >> 32)); }
  uint64_t memory_bytes() const { return ring.memory_bytes(); }
};

template <class Finder>
std::unique_ptr<Subject> SubjectFrom(std::unique_ptr<Finder> finder, std::vector<uint32_t> ids) {
  return std::make_unique<SubjectOf<Finder>>(std::move(finder), std::move(ids));
}

// The nodes alive, as algorithms without health see them.
struct Living {
  Living(absl::Span<const Node> nodes, const std::vector<bool>& alive) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!alive[i]) continue;
      ids.push_back(nodes[i].id);
      keys.push_back(KeyOf(nodes[i]));
      weights.push_back(nodes[i].weight);
      if (nodes[i].weight != 1) all_equal = false;
    }
  }
  uint32_t size() const { return static_cast<uint32_t>(ids.size()); }

  std::vector<uint32_t> ids;
  std::vector<std::string> keys;
  std::vector<uint32_t> weights;
  bool all_equal = true;
};

std::unique_ptr<Subject> MakeModulo(absl::Span<const Node> nodes, const std::vector<bool>& alive) {
  Living living(nodes, alive);
  auto finder = std::make_unique<::lookup::Modulo>(living.size());
  return SubjectFrom(std::move(finder), std::move(living.ids));
}

std::unique_ptr<Subject> MakeJump(absl::Span<const Node> nodes, const std::vector<bool>& alive) {
  Living living(nodes, alive);
  auto finder = std::make_unique<::lookup::Jump>(living.size());
  return SubjectFrom(std::move(finder), std::move(living.ids));
}

std::unique_ptr<Subject> MakeRendezvous(absl::Span<const Node> nodes,
                                        const std::vector<bool>& alive) {
  Living living(nodes, alive);
  auto finder = living.all_equal
                    ? std::make_unique<::lookup::Rendezvous>(living.keys)
                    : std::make_unique<::lookup::Rendezvous>(living.keys, living.weights);
  return SubjectFrom(std::move(finder), std::move(living.ids));
}

std::unique_ptr<Subject> MakeMultiProbe(absl::Span<const Node> nodes,
                                        const std::vector<bool>& alive) {
  Living living(nodes, alive);
  auto finder = std::make_unique<::lookup::MultiProbe>(living.keys);
  return SubjectFrom(std::move(finder), std::move(living.ids));
}

std::unique_ptr<Subject> MakeTextbook(absl::Span<const Node> nodes,
                                      const std::vector<bool>& alive) {
  Living living(nodes, alive);
  auto finder = std::make_unique<Textbook>();
  for (uint32_t i = 0; i < living.size(); ++i) finder->ring.Add(living.keys[i], living.weights[i]);
  return SubjectFrom(std::move(finder), std::move(living.ids));
}

// maglev::Table and ring::Ring are built, and told who is alive, in the same way.
template <class Table, class TableNode, class TableOptions>
std::unique_ptr<Subject> MakeTable(absl::Span<const Node> nodes, const std::vector<bool>& alive,
                                   const TableOptions& options) {
  std::vector<TableNode> configured;
  for (const Node& node : nodes) configured.push_back({KeyOf(node), node.weight});
  absl::StatusOr<Table> table = Table::Build(configured, options);
  CHECK(table.ok()) << table.status();
  std::vector<uint32_t> ids;
  const std::unique_ptr<bool[]> lives(new bool[nodes.size()]);
  bool all_alive = true;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const size_t position = table->input_position(i);
    ids.push_back(nodes[position].id);
    lives[i] = alive[position];
    all_alive = all_alive && lives[i];
  }
  if (!all_alive) {
    table = table->WithAlive(absl::MakeConstSpan(lives.get(), nodes.size()));
    CHECK(table.ok()) << table.status();
  }
  return SubjectFrom(std::make_unique<Table>(*std::move(table)), std::move(ids));
}

Algorithm RingOf(uint32_t points) {
  return {.name = "ring",
          .points = points,
          .has_weights = true,
          .make = [points](absl::Span<const Node> nodes, const std::vector<bool>& alive) {
            return MakeTable<ring::Ring, ring::Node>(nodes, alive, ring::Options{.points = points});
          }};
}

Algorithm MaglevOf(uint32_t size) {
  return {.name = "maglev",
          .table_size = size,
          .has_weights = true,
          .make = [size](absl::Span<const Node> nodes, const std::vector<bool>& alive) {
            return MakeTable<maglev::Table, maglev::Node>(nodes, alive,
                                                          maglev::Options{.size = size});
          }};
}

}  // namespace

std::vector<Algorithm> AllAlgorithms(const Options& options) {
  std::vector<Algorithm> all = {
      {.name = "modulo", .make = MakeModulo},
      {.name = "jump", .make = MakeJump},
      {.name = "rendezvous", .has_weights = true, .make = MakeRendezvous},
      {.name = "multi_probe", .points = 1, .make = MakeMultiProbe},
      {.name = "textbook_ring",
       .points = kTextbookPoints,
       .has_weights = true,
       .make = MakeTextbook},
  };
  for (const uint32_t points : options.points) all.push_back(RingOf(points));
  for (const uint32_t size : options.table_sizes) all.push_back(MaglevOf(size));
  return all;
}

std::unique_ptr<Subject> MakeEmpty() {
  return SubjectFrom(std::make_unique<Empty>(), std::vector<uint32_t>{0, 1});
}

std::unique_ptr<Subject> Make(const Algorithm& algorithm, absl::Span<const Node> nodes) {
  return algorithm.make(nodes, std::vector<bool>(nodes.size(), true));
}

std::vector<Node> EqualNodes(uint32_t count) {
  std::vector<Node> nodes;
  for (uint32_t id = 0; id < count; ++id) nodes.push_back({.id = id});
  return nodes;
}

}  // namespace l4lb::lookup
