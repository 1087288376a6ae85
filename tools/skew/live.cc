// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/live.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/kit/bars.h"
#include "tools/kit/event_loop.h"
#include "tools/skew/names.h"

namespace l4lb::skew {
namespace {

constexpr int64_t kEveryNs = 200 * kit::kNsPerMs;
constexpr size_t kSamples = 6;  // A second, and the one that it begins with.
constexpr int kBarWidth = 40;
constexpr int kMostLines = 12;

double Seconds(int64_t ns) { return static_cast<double>(ns) / kit::kNsPerSecond; }

}  // namespace

Live::Live(const Options& options) : options_(options), shows_(isatty(STDERR_FILENO) == 1) {}

void Live::BeginMode(Mode mode) {
  mode_ = mode;
  ++modes_begun_;
  samples_.clear();
}

void Live::Show(int64_t now_ns, const Backends& backends) {
  if (!shows_ || (!samples_.empty() && now_ns - samples_.back().ns < kEveryNs)) return;
  samples_.push_back({now_ns, backends.Served()});
  if (samples_.size() > kSamples) samples_.erase(samples_.begin());
  const std::string text = Text(now_ns);
  Clear();
  std::cerr << text << std::flush;
  lines_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

void Live::Clear() {
  if (lines_ > 0) std::cerr << "\x1b[" << lines_ << "A\r\x1b[J" << std::flush;
  lines_ = 0;
}

std::string Live::Text(int64_t now_ns) const {
  const auto modes_left = static_cast<int64_t>(options_.modes.size() - modes_begun_);
  const int64_t duration_ns = options_.duration_ms * kit::kNsPerMs;
  std::string text = absl::StrFormat(
      "%s  (%d of %d)  %.1f of %.0f s, about %.0f s left in all\n", Name(mode_), modes_begun_,
      options_.modes.size(), Seconds(now_ns), Seconds(duration_ns),
      Seconds(std::max<int64_t>(0, duration_ns - now_ns) + modes_left * duration_ns));
  const std::vector<uint64_t>& first = samples_.front().served;
  const std::vector<uint64_t>& last = samples_.back().served;
  uint64_t all = 0;
  for (size_t i = 0; i < last.size(); ++i) all += last[i] - first[i];
  // The added ones are what is looked at.
  const int shown = std::min(kMostLines, options_.all_backends());
  for (int line = 0; line < shown; ++line) {
    const int backend =
        line < shown - options_.added ? line : options_.all_backends() - shown + line;
    const auto at = static_cast<size_t>(backend);
    const double share =
        all == 0 ? 0 : static_cast<double>(last[at] - first[at]) / static_cast<double>(all);
    absl::StrAppend(&text, Line(backend, share, now_ns));
  }
  if (shown < options_.all_backends()) {
    absl::StrAppendFormat(&text, "  and %d more\n", options_.all_backends() - shown);
  }
  return text;
}

std::string Live::Line(int backend, double share, int64_t now_ns) const {
  return absl::StrFormat("  %-4s%s %5.1f %%  %s\n", BackendName(backend),
                         kit::Bar(share, kBarWidth, options_.ascii), 100 * share,
                         Note(backend, now_ns));
}

std::string Live::Note(int backend, int64_t now_ns) const {
  const int64_t added_ns = options_.add_at_ms * kit::kNsPerMs;
  const int64_t removed_ns = options_.remove_at_ms * kit::kNsPerMs;
  if (backend < options_.removed && now_ns >= removed_ns) return "removed";
  if (backend < options_.backends) return "";
  if (now_ns < added_ns) return absl::StrFormat("joins in %.1f s", Seconds(added_ns - now_ns));
  return absl::StrFormat("joined %.1f s ago", Seconds(now_ns - added_ns));
}

}  // namespace l4lb::skew
