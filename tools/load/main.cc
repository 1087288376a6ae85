// SPDX-License-Identifier: Apache-2.0
//
// l4lb-load: load for a TCP balancer, and the backend behind it.
#include <iostream>
#include <string>
#include <vector>

#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "tools/kit/command_line.h"
#include "tools/kit/stop_signals.h"
#include "tools/load/flags.h"
#include "tools/load/report.h"
#include "tools/load/runner.h"
#include "tools/load/server.h"

namespace l4lb::load {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;

int Serve(const ServeOptions& options) {
  const auto server = Server::Start(options);
  if (!server.ok()) {
    std::cerr << "l4lb-load: " << server.status().message() << "\n";
    return kFailed;
  }
  for (const SocketAddress& address : (*server)->addresses()) {
    std::cout << "listening " << address.ToString() << "\n";
  }
  std::cout << "ready" << std::endl;
  kit::WaitForStop();
  return kDone;
}

int Load(const Options& options) {
  const Outcome outcome = RunLoad(options);
  if (options.json) {
    std::cout << JsonText(options, outcome);
  } else if (!options.quiet) {
    std::cout << TableText(options, outcome);
  }
  if (outcome.tally.failed() > 0) {
    std::cerr << "l4lb-load: failed: " << outcome.tally.first_failure << "\n";
    return kFailed;
  }
  // --stay has no other end.
  return outcome.interrupted && !options.stay ? kFailed : kDone;
}

int Main(const std::vector<std::string>& arguments) {
  const CommandLine line = ParseCommandLine(arguments);
  if (line.ending.has_value()) return kit::Tell(*line.ending);
  kit::BlockSignals();
  RaiseOpenFileLimit();
  if (const auto* serve = std::get_if<ServeOptions>(&line.options)) return Serve(*serve);
  return Load(std::get<Options>(line.options));
}

}  // namespace
}  // namespace l4lb::load

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  return l4lb::load::Main({argv + 1, argv + argc});
}
