// SPDX-License-Identifier: Apache-2.0
//
// On a terminal, while it runs: a bar for each backend, what mode it is, and how long it takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/skew/backends.h"
#include "tools/skew/options.h"

namespace l4lb::skew {

class Live {
 public:
  /// On stderr, and only when that is a terminal.
  explicit Live(const Options& options);
  ~Live() { Clear(); }

  void BeginMode(Mode mode);
  /// Called often; draws five times a second.
  void Show(int64_t now_ns, const Backends& backends);
  void Clear();

 private:
  struct Sample {
    int64_t ns;
    std::vector<uint64_t> served;
  };

  std::string Text(int64_t now_ns) const;
  std::string Line(int backend, double share, int64_t now_ns) const;
  std::string Note(int backend, int64_t now_ns) const;

  const Options& options_;
  const bool shows_;
  Mode mode_ = Mode::kRoundRobin;
  size_t modes_begun_ = 0;
  int lines_ = 0;                // On the screen now.
  std::vector<Sample> samples_;  // Of the last second.
};

}  // namespace l4lb::skew
