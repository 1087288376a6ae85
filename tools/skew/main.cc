// SPDX-License-Identifier: Apache-2.0
//
// l4lb-skew: what long-lived HTTP/2 connections do to a backend that is added, and what helps.
#include <poll.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "tools/kit/files.h"
#include "tools/kit/stop_signals.h"
#include "tools/skew/flags.h"
#include "tools/skew/json.h"
#include "tools/skew/live.h"
#include "tools/skew/open_files.h"
#include "tools/skew/outcome.h"
#include "tools/skew/page.h"
#include "tools/skew/report.h"
#include "tools/skew/run_mode.h"

namespace l4lb::skew {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;

int Failed(const absl::Status& status) {
  std::cerr << "l4lb-skew: " << status.message() << "\n";
  return kFailed;
}

bool HasArrived(const UniqueFd& signals) {
  pollfd fd = {.fd = signals.get(), .events = POLLIN};
  return poll(&fd, 1, 0) == 1;
}

absl::Status CheckOpenFiles(const Options& options, int64_t limit) {
  const int64_t needed = OpenFilesOf(options);
  if (needed <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "so many connections need ", needed, " open files, and the limit (ulimit -n) is ", limit,
      ": take fewer --clients, or fewer backends for the mode client"));
}

// Finds the proxy for the mode that needs one, or does without that mode, and says so.
absl::StatusOr<std::optional<Layer7Program>> PrepareLayer7(Options* options) {
  const auto mode = std::find(options->modes.begin(), options->modes.end(), Mode::kLayer7);
  if (mode == options->modes.end()) return std::nullopt;
  auto program = FindLayer7(options->layer7);
  if (program.ok() && !program->has_value()) {
    if (options->layer7 != Layer7Choice::kNone) {
      std::cerr << "l4lb-skew: neither haproxy nor nghttpx is installed: without the mode layer7\n";
    }
    options->modes.erase(mode);
  }
  return program;
}

// All modes, or those until one fails or somebody stops it.
struct Result {
  Outcome outcome;
  absl::Status status;
};

Result Run(const Options& options, const std::optional<Layer7Program>& layer7) {
  const UniqueFd signals = kit::StopSignalFd();
  Live live(options);
  Result result;
  Outcome& outcome = result.outcome;
  if (layer7.has_value()) outcome.layer7 = layer7->version_text;
  const Watcher watch = [&](int64_t now_ns, const Backends& backends) {
    live.Show(now_ns, backends);
    return !HasArrived(signals);
  };
  for (size_t i = 0; i < options.modes.size() && !outcome.interrupted; ++i) {
    live.BeginMode(options.modes[i]);
    absl::StatusOr<ModeRun> run = RunMode(options, options.modes[i], layer7, watch);
    if (!run.ok()) {
      result.status = absl::Status(
          run.status().code(), absl::StrCat(Name(options.modes[i]), ": ", run.status().message()));
      break;
    }
    if (TextOf(run->mode).kind == Kind::kLayer4) outcome.engine = run->about;
    outcome.interrupted = run->interrupted || HasArrived(signals);
    outcome.figures.push_back(FiguresOf(options, *run));
    outcome.runs.push_back(*std::move(run));
  }
  return result;
}

std::string Said(const Options& options, const Outcome& outcome) {
  if (options.json) return JsonText(options, outcome);
  if (options.csv) return CsvText(options, outcome.figures);
  return TableText(options, outcome.figures);
}

// What was seen, whatever came then.
absl::Status Tell(const Options& options, const Outcome& outcome) {
  if (outcome.figures.empty()) return absl::OkStatus();
  std::cout << Said(options, outcome) << std::flush;
  if (!std::cout) return absl::UnavailableError("stdout: cannot be written");
  if (options.html.empty()) return absl::OkStatus();
  return kit::WriteFile(options.html, PageText(options, outcome));
}

// More than backends can do makes queues grow for the whole run, which nobody in the middle can
// mend.
void WarnOfOverload(const Options& options) {
  const double busy = options.rate * static_cast<double>(options.service_ms) / 1e3;
  const int least = std::min(options.backends, options.all_backends() - options.removed);
  if (busy <= least) return;
  std::cerr << absl::StrFormat(
      "l4lb-skew: note: %g requests/s of %d ms each keep %d backends %.0f %% busy: queues grow\n",
      options.rate, options.service_ms, least, 100 * busy / least);
}

int Main(const std::vector<std::string>& arguments) {
  auto line = ParseCommandLine(arguments);
  if (line.ending.has_value()) return kit::Tell(*line.ending);
  Options& options = line.options;
  if (!options.html.empty()) {
    const absl::Status writable = kit::CheckWritable(options.html);
    if (!writable.ok()) return Failed(writable);
  }
  kit::BlockSignals();
  const absl::Status fits = CheckOpenFiles(options, RaiseOpenFileLimit());
  if (!fits.ok()) return Failed(fits);
  const auto layer7 = PrepareLayer7(&options);
  if (!layer7.ok()) return Failed(layer7.status());
  if (options.modes.empty()) return Failed(absl::NotFoundError("no mode is left to run"));
  WarnOfOverload(options);
  const Result result = Run(options, *layer7);
  const absl::Status told = Tell(options, result.outcome);
  if (!told.ok()) return Failed(told);
  if (!result.status.ok()) return Failed(result.status);
  return result.outcome.interrupted ? kFailed : kDone;
}

}  // namespace
}  // namespace l4lb::skew

int main(int argc, char** argv) {
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::GLOG_ERROR;  // What the Server says at changes is not asked for.
  google::InitGoogleLogging(argv[0]);
  return l4lb::skew::Main({argv + 1, argv + argc});
}
