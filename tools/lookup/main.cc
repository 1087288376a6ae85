// SPDX-License-Identifier: Apache-2.0
//
// l4lb-lookup: lookup tables side by side, and what is claimed about them.
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "glog/logging.h"
#include "tools/kit/command_line.h"
#include "tools/kit/files.h"
#include "tools/lookup/flags.h"
#include "tools/lookup/page.h"
#include "tools/lookup/report.h"
#include "tools/lookup/survey.h"

namespace l4lb::lookup {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr const char* kClearLine = "\r\x1b[K";

int Failed(const absl::Status& status) {
  std::cerr << "l4lb-lookup: " << status.message() << "\n";
  return kFailed;
}

int Main(const std::vector<std::string>& arguments) {
  const CommandLine line = ParseCommandLine(arguments);
  if (line.ending.has_value()) return kit::Tell(*line.ending);
  if (!line.options.html.empty()) {
    const absl::Status writable = kit::CheckWritable(line.options.html);
    if (!writable.ok()) return Failed(writable);
  }
  const bool watched = isatty(STDERR_FILENO) != 0;
  const Survey survey = Run(line.options, [&](const std::string& what) {
    if (watched) std::cerr << kClearLine << what << std::flush;
  });
  if (watched) std::cerr << kClearLine << std::flush;
  std::cout << (line.options.json ? JsonText(line.options, survey)
                                  : TableText(line.options, survey))
            << std::flush;
  if (!line.options.html.empty()) {
    const absl::Status written = kit::WriteFile(line.options.html, PageText(line.options, survey));
    if (!written.ok()) return Failed(written);
  }
  return std::cout ? kDone : kFailed;
}

}  // namespace
}  // namespace l4lb::lookup

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  return l4lb::lookup::Main({argv + 1, argv + argc});
}
