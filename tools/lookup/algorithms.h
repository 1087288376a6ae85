// SPDX-License-Identifier: Apache-2.0
//
// What is compared: the comparators of benchmarks/lookup/, ring/ and maglev/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/lookup/options.h"
#include "tools/lookup/subject.h"

namespace l4lb::lookup {

struct Algorithm {
  std::string name;
  uint32_t table_size = 0;  // 0: it has no table.
  uint32_t points = 0;      // Of a node; 0: it has none.
  bool has_weights = false;
  /// `alive`: by position in `nodes`, at least one.  maglev and ring keep the dead as configured
  /// nodes (WithAlive); all others are made of the nodes alive, since they know nothing else.
  std::function<std::unique_ptr<Subject>(absl::Span<const Node> nodes,
                                         const std::vector<bool>& alive)>
      make;
};

/// In the order of the tables.
std::vector<Algorithm> AllAlgorithms(const Options& options);

/// Does nothing: what the loop around a lookup costs.
std::unique_ptr<Subject> MakeEmpty();

/// With all alive.
std::unique_ptr<Subject> Make(const Algorithm& algorithm, absl::Span<const Node> nodes);

/// Nodes 0 to `count` - 1, all of weight 1.
std::vector<Node> EqualNodes(uint32_t count);

}  // namespace l4lb::lookup
