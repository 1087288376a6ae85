// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace l4lb::lab {
namespace {

constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)), watched_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (watched_) std::cerr << kClearLine << std::flush;
}

void Progress::Show(int done, int count, const std::string& what) {
  if (!watched_) return;
  const int percent = 100 * done / std::max(count, 1);
  if (shown_percent_.exchange(percent) == percent) return;
  // One write, so that threads do not mix their lines.
  std::cerr << absl::StrCat(kClearLine, what_, " ", done, " of ", count, what.empty() ? "" : ": ",
                            what)
            << std::flush;
}

}  // namespace l4lb::lab
