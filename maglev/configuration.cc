// SPDX-License-Identifier: Apache-2.0
#include "maglev/configuration.h"

#include <algorithm>
#include <numeric>

#include "absl/functional/function_ref.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "maglev/exact_mod.h"
#include "maglev/prime.h"
#include "maglev/turns.h"

namespace maglev {
namespace {

constexpr uint32_t kSlotsPerNode = 100;  // For shares within 1 %: section 3.4 of the paper.

size_t CountWeighted(absl::Span<const Node> nodes) {
  return static_cast<size_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.weight != 0; }));
}

absl::Status ValidateSize(uint32_t size, size_t weighted) {
  if (size > Table::kMaxSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("table size ", size, " is above the maximum of ", Table::kMaxSize));
  }
  if (!IsPrime(size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("table size ", size, " is not prime; the next prime is ", NextPrime(size)));
  }
  if (size < weighted) {
    return absl::InvalidArgumentError(absl::StrCat(
        "table size ", size, " is below the number of nodes with a weight, ", weighted));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<size_t> ByKey(absl::Span<const Node> nodes) {
  std::vector<size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto before = [&](size_t a, size_t b) { return nodes[a].key < nodes[b].key; };
  // Lists mostly are in order.
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::sort(order.begin(), order.end(), before);
  }
  return order;
}

absl::Status Validate(absl::Span<const Node> nodes, absl::Span<const size_t> order, uint32_t size) {
  if (nodes.empty()) return absl::InvalidArgumentError("there are no nodes");
  const auto twice = std::adjacent_find(
      order.begin(), order.end(), [&](size_t a, size_t b) { return nodes[a].key == nodes[b].key; });
  if (twice != order.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the key \"", absl::CHexEscape(nodes[*twice].key), "\" occurs twice"));
  }
  const size_t weighted = CountWeighted(nodes);
  if (weighted == 0) return absl::InvalidArgumentError("all weights are 0");
  return ValidateSize(size, weighted);
}

std::string SizeWarning(uint32_t size, size_t nodes) {
  const uint64_t wanted = uint64_t{kSlotsPerNode} * nodes;
  if (size >= wanted) return {};
  std::string warning = absl::StrCat("table size ", size, " is below ", kSlotsPerNode, " x ", nodes,
                                     " nodes: shares may differ by more than 1 %");
  if (wanted <= Table::kMaxSize) {
    absl::StrAppend(&warning, "; better is ", NextPrime(static_cast<uint32_t>(wanted)));
  }
  return warning;
}

Permutation PermutationOf(const std::string& key, const Options& options) {
  return {ExactMod(options.size)(options.hash(key, 2 * options.seed)),
          ExactMod(options.size - 1)(options.hash(key, 2 * options.seed + 1)) + 1};
}

Slots Fill(absl::Span<const Node> nodes, const Options& options) {
  std::vector<Permutation> permutations;
  std::vector<uint32_t> weights;
  permutations.reserve(nodes.size());
  weights.reserve(nodes.size());
  for (const Node& node : nodes) {
    permutations.push_back(PermutationOf(node.key, options));
    weights.push_back(node.weight);
  }
  DivideByCommonDivisor(absl::MakeSpan(weights));
  Slots slots(options.size, nodes.size());
  Filler filler(options.size, permutations);
  const auto take = [&](uint32_t node) {
    slots.SetOwner(filler.Take(node), node);
    return filler.left() > 0;
  };
  if (AreLopsided(weights)) {
    // Not inlined, so that the compiler inlines all of the other one's.
    TakeTurnsByQueue(weights, absl::FunctionRef<bool(uint32_t)>(take));
  } else {
    TakeTurnsByStride(weights, take);
  }
  return slots;
}

}  // namespace maglev
