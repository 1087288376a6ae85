// SPDX-License-Identifier: Apache-2.0
//
// What a terminal is shown while the work goes on, and the mark of what has no end.
#pragma once

#include <atomic>
#include <string>

namespace l4lb::lab {

/// The number behind which figures only grow.
inline const char* GrowingMark(bool ascii) { return ascii ? "^" : "\u2191"; }

/// A line on stderr, when that is a terminal, that is replaced now and then; any thread.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();

  /// `what`: of the line that is shown, beside how far it is.
  void Show(int done, int count, const std::string& what = "");

 private:
  const std::string what_;
  const bool watched_;
  std::atomic<int> shown_percent_ = -1;
};

}  // namespace l4lb::lab
