// SPDX-License-Identifier: Apache-2.0
//
// Writes docs/metrics.md from the table of metrics, or checks that it is up to date.  Run by people
// after a change of the table, and by the test metrics_reference_test.
//
//   metrics_reference --write ROOT     writes it below ROOT
//   metrics_reference --verify ROOT    status 1 when it differs
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "l4lb/observe/reference/metrics_markdown.h"

namespace l4lb {
namespace {

int Write(const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  out << MetricsMarkdown() << std::flush;
  if (out) return 0;
  std::cerr << "cannot write " << path << ": " << std::strerror(errno) << "\n";
  return 1;
}

int Verify(const std::string& path, const std::string& command) {
  std::ifstream in(path, std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (found == MetricsMarkdown()) return 0;
  std::cerr << path << " is not what the table of metrics generates; rewrite it with:\n  "
            << command << "\n";
  return 1;
}

int Main(int argc, char** argv) {
  const std::string verb = argc == 3 ? argv[1] : "";
  const std::string root = argc == 3 ? argv[2] : "";
  const std::string path = root + "/docs/metrics.md";
  if (verb == "--write") return Write(path);
  if (verb == "--verify") return Verify(path, std::string(argv[0]) + " --write " + root);
  std::cerr << "usage: metrics_reference --write ROOT | --verify ROOT\n";
  return 2;
}

}  // namespace
}  // namespace l4lb

int main(int argc, char** argv) { return l4lb::Main(argc, argv); }
