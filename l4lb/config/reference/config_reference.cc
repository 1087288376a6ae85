// SPDX-License-Identifier: Apache-2.0
//
// Writes the files of the tree that are generated from the key table, or checks that they are up to
// date.  Run by people after a change of the table, and by the test generated_files_test.
//
//   config_reference --write ROOT     writes the files below ROOT
//   config_reference --verify ROOT    status 1 when one differs, and says which
//   config_reference --print FILE     prints one of them
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "absl/strings/string_view.h"
#include "l4lb/config/reference/reference.h"

namespace l4lb {
namespace {

struct GeneratedFile {
  absl::string_view path;  // From the root of the tree.
  std::string (*make)();
};

constexpr GeneratedFile kFiles[] = {
    {"docs/reference/config.md", ReferenceMarkdown},
    {"docs/reference/l4lb.schema.json", JsonSchema},
    {"packaging/l4lb.8", DaemonManPage},
    {"packaging/l4lb.yaml.5", FileManPage},
};

std::string PathBelow(const std::string& root, const GeneratedFile& file) {
  return root + "/" + std::string(file.path);
}

int Write(const std::string& root) {
  for (const GeneratedFile& file : kFiles) {
    std::ofstream out(PathBelow(root, file), std::ios::binary);
    out << file.make() << std::flush;
    if (!out) {
      std::cerr << "cannot write " << PathBelow(root, file) << ": " << std::strerror(errno) << "\n";
      return 1;
    }
  }
  return 0;
}

int Verify(const std::string& root, const std::string& program) {
  int status = 0;
  for (const GeneratedFile& file : kFiles) {
    std::ifstream in(PathBelow(root, file), std::ios::binary);
    const std::string found{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (found == file.make()) continue;
    std::cerr << file.path << " is not what the key table generates\n";
    status = 1;
  }
  if (status != 0) {
    std::cerr << "rewrite the generated files with:\n  " << program << " --write " << root << "\n";
  }
  return status;
}

int Print(const std::string& path) {
  for (const GeneratedFile& file : kFiles) {
    if (file.path != path) continue;
    std::cout << file.make();
    return 0;
  }
  std::cerr << "no generated file " << path << "\n";
  return 2;
}

int Main(int argc, char** argv) {
  const std::string verb = argc == 3 ? argv[1] : "";
  if (verb == "--write") return Write(argv[2]);
  if (verb == "--verify") return Verify(argv[2], argv[0]);
  if (verb == "--print") return Print(argv[2]);
  std::cerr << "usage: config_reference --write ROOT | --verify ROOT | --print FILE\n";
  return 2;
}

}  // namespace
}  // namespace l4lb

int main(int argc, char** argv) { return l4lb::Main(argc, argv); }
