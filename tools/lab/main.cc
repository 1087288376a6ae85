// SPDX-License-Identifier: Apache-2.0
//
// l4lb-lab: experiments on balancing policies.
#include <poll.h>

#include <iostream>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "tools/kit/bars.h"
#include "tools/kit/command_line.h"
#include "tools/kit/files.h"
#include "tools/kit/stop_signals.h"
#include "tools/lab/claims.h"
#include "tools/lab/flags.h"
#include "tools/lab/page.h"
#include "tools/lab/page_server.h"
#include "tools/lab/report.h"
#include "tools/lab/survey.h"
#include "tools/lab/tcp_report.h"
#include "tools/lab/tcp_survey.h"
#include "tools/lab/terminal.h"

namespace l4lb::lab {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;

int Failed(const absl::Status& status) {
  std::cerr << kProgram << ": " << status.message() << "\n";
  return kFailed;
}

// Asked before long work.
absl::Status CheckOutput(const Output& output) {
  return output.html.empty() ? absl::OkStatus() : kit::CheckWritable(output.html);
}

template <typename Options, typename Found>
int Tell(const Options& options, const Found& found) {
  const Output& output = options.output;
  std::cout << (output.json ? JsonText(options, found) : TableText(options, found)) << std::flush;
  if (!std::cout) return kFailed;
  if (output.html.empty()) return kDone;
  const absl::Status written = kit::WriteFile(output.html, PageText(PageData(options, found)));
  return written.ok() ? kDone : Failed(written);
}

Findings FindingsOf(const SimulateOptions& options) {
  Findings findings;
  {
    Progress progress("runs");
    findings.rows = RunAll(options.world, options.policies, options.effort,
                           [&](int done, int count) { progress.Show(done, count); });
  }
  if (!options.claims) return findings;
  Progress progress("runs for the claims");
  findings.claims =
      CheckClaims(*FindScene(options.scene), options.claim_seeds, options.effort.threads,
                  [&](int done, int count) { progress.Show(done, count); });
  return findings;
}

int Execute(SimulateOptions options) {
  if (const absl::Status status = CheckOutput(options.output); !status.ok()) return Failed(status);
  if (!options.output.html.empty()) options.effort.samples = kPageSamples;
  return Tell(options, FindingsOf(options));
}

bool HasArrived(const UniqueFd& signals) {
  pollfd fd = {.fd = signals.get(), .events = POLLIN};
  return poll(&fd, 1, 0) == 1;
}

absl::StatusOr<TcpSurvey> SurveyOf(const RunOptions& options) {
  const UniqueFd signals = kit::StopSignalFd();
  Progress progress("run");
  return RunScene(options, [&](const std::string& what, int i, int count) {
    progress.Show(i, count, what);
    return !HasArrived(signals);
  });
}

int Execute(const RunOptions& options) {
  if (const absl::Status status = CheckOutput(options.output); !status.ok()) return Failed(status);
  RaiseOpenFileLimit();
  kit::BlockSignals();
  const absl::StatusOr<TcpSurvey> survey = SurveyOf(options);
  return survey.ok() ? Tell(options, *survey) : Failed(survey.status());
}

int Execute(const ServeOptions& options) {
  kit::BlockSignals();
  const auto server = PageServer::Start(options.listen);
  if (!server.ok()) return Failed(server.status());
  std::cout << "page http://" << (*server)->address().ToString() << "/\nready" << std::endl;
  kit::WaitForStop();
  kit::UnblockSignals();
  return kDone;
}

void CompleteOutput(const std::vector<std::string>& arguments, Output* output) {
  output->ascii |= kit::NeedsAscii();
  output->command = kit::CommandText(kProgram, arguments);
}

int Main(const std::vector<std::string>& arguments) {
  CommandLine line = ParseCommandLine(arguments);
  if (line.ending.has_value()) return kit::Tell(*line.ending);
  if (const auto* serve = std::get_if<ServeOptions>(&line.options)) return Execute(*serve);
  if (auto* run = std::get_if<RunOptions>(&line.options)) {
    CompleteOutput(arguments, &run->output);
    return Execute(*run);
  }
  auto& simulate = std::get<SimulateOptions>(line.options);
  CompleteOutput(arguments, &simulate.output);
  return Execute(simulate);
}

}  // namespace
}  // namespace l4lb::lab

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::GLOG_FATAL;  // What a Server says of its checks is not asked for.
  return l4lb::lab::Main({argv + 1, argv + argc});
}
