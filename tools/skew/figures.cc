// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace l4lb::skew {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr double kFairEnough = 0.9;
constexpr int64_t kLeastWindowSteps = 10;  // Half a second.
constexpr double kEnoughRequests = 100;    // Of the added backends, so that chance is small.

double Seconds(int64_t ns) { return static_cast<double>(ns) / kNsPerSecond; }

double Ms(const Histogram& latency_ns, double share) {
  return static_cast<double>(latency_ns.Quantile(share)) / 1e6;
}

uint64_t SumOf(const std::vector<uint32_t>& counts, int64_t from_step, int64_t to_step) {
  const auto size = static_cast<int64_t>(counts.size());
  const auto begin = counts.begin() + std::clamp<int64_t>(from_step, 0, size);
  const auto end = counts.begin() + std::clamp<int64_t>(to_step, 0, size);
  return begin < end ? std::accumulate(begin, end, uint64_t{0}) : 0;
}

std::vector<uint64_t> RequestsIn(const Observed& observed, Span span) {
  std::vector<uint64_t> requests;
  for (const auto& counts : observed.requests) {
    requests.push_back(
        SumOf(counts, span.from_ns / Observed::kStepNs, span.to_ns / Observed::kStepNs));
  }
  return requests;
}

std::vector<double> SharesOf(const std::vector<uint64_t>& requests) {
  const auto all =
      static_cast<double>(std::accumulate(requests.begin(), requests.end(), uint64_t{0}));
  std::vector<double> shares;
  for (const uint64_t count : requests) {
    shares.push_back(all > 0 ? static_cast<double>(count) / all : 0);
  }
  return shares;
}

class Summary {
 public:
  Summary(const Options& options, const ModeRun& run) : options_(options), run_(run) {}

  PartFigures Of(Span span, const Histogram& latency_ns, int first, int last) const {
    PartFigures part = {.from_s = Seconds(span.from_ns), .to_s = Seconds(span.to_ns)};
    part.requests = RequestsIn(run_.observed, span);
    part.share = SharesOf(part.requests);
    part.p50_ms = Ms(latency_ns, 0.5);
    part.p99_ms = Ms(latency_ns, 0.99);
    part.jain = JainIndex({part.requests.begin() + first, part.requests.begin() + last});
    return part;
  }

  std::optional<PartFigures> OfPart(Part part, int first, int last) const {
    const Span span = run_.schedule.SpanOf(part);
    if (span.empty()) return std::nullopt;
    return Of(span, LatencyIn(part), first, last);
  }

  const Histogram& LatencyIn(Part part) const {
    return run_.tally.latency_ns[static_cast<size_t>(part)];
  }

  std::optional<double> SecondsToFair() const {
    const Span span = run_.schedule.SinceAdded();
    const int64_t begin = span.from_ns / Observed::kStepNs;
    const int64_t end = span.to_ns / Observed::kStepNs;
    if (options_.added == 0) return std::nullopt;
    const int64_t window = WindowSteps();
    for (int64_t at = begin + window; at <= end; ++at) {
      if (FairAt(at, window)) return Seconds((at - begin) * Observed::kStepNs);
    }
    return std::nullopt;
  }

 private:
  int64_t WindowSteps() const {
    const double wanted_s = kEnoughRequests / (options_.rate * FairAddedShare(options_));
    const double steps = std::ceil(wanted_s * kNsPerSecond / Observed::kStepNs);
    return std::max(kLeastWindowSteps, static_cast<int64_t>(steps));
  }

  // In the window of so many steps that ends with step `end`.
  bool FairAt(int64_t end, int64_t steps) const {
    const Span window = {(end - steps) * Observed::kStepNs, end * Observed::kStepNs};
    PartFigures part;
    part.share = SharesOf(RequestsIn(run_.observed, window));
    return AddedShare(options_, part) >= kFairEnough * FairAddedShare(options_);
  }

  const Options& options_;
  const ModeRun& run_;
};

// Of the last part that there is.
double LastJain(const ModeFigures& figures) {
  for (const auto* part : {&figures.removed, &figures.after, &figures.during, &figures.before}) {
    if (part->has_value()) return (*part)->jain;
  }
  return 0;
}

}  // namespace

double AddedShare(const Options& options, const PartFigures& part) {
  return std::accumulate(part.share.begin() + options.backends, part.share.end(), 0.0);
}

double FairAddedShare(const Options& options) {
  return static_cast<double>(options.added) / options.all_backends();
}

double JainIndex(const std::vector<uint64_t>& amounts) {
  double sum = 0;
  double squares = 0;
  for (const uint64_t amount : amounts) {
    const auto value = static_cast<double>(amount);
    sum += value;
    squares += value * value;
  }
  return squares == 0 ? 0 : sum * sum / (static_cast<double>(amounts.size()) * squares);
}

ModeFigures FiguresOf(const Options& options, const ModeRun& run) {
  const Summary summary(options, run);
  const int all = options.all_backends();
  Histogram measured;
  for (int part = static_cast<int>(Part::kBefore); part < kParts; ++part) {
    measured.Merge(summary.LatencyIn(static_cast<Part>(part)));
  }
  ModeFigures figures = {.mode = run.mode, .interrupted = run.interrupted};
  figures.before = summary.OfPart(Part::kBefore, 0, options.backends);
  figures.during = summary.OfPart(Part::kDuring, 0, all);
  figures.after = summary.OfPart(Part::kAfter, 0, all);
  figures.removed = summary.OfPart(Part::kRemoved, options.removed, all);
  if (const Span span = run.schedule.SinceAdded(); !span.empty()) {
    Histogram both = summary.LatencyIn(Part::kDuring);
    both.Merge(summary.LatencyIn(Part::kAfter));
    figures.since_added = summary.Of(span, both, 0, all);
    figures.watched_s = Seconds(span.to_ns - span.from_ns);
  }
  figures.seconds_to_fair = summary.SecondsToFair();
  figures.connections_cut = run.tally.cut;
  figures.errors = run.tally.errors;
  figures.retries = run.tally.retries;
  figures.sent = run.tally.sent;
  figures.answered = run.tally.answered;
  figures.p50_ms = Ms(measured, 0.5);
  figures.p99_ms = Ms(measured, 0.99);
  figures.jain = LastJain(figures);
  return figures;
}

}  // namespace l4lb::skew
