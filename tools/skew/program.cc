// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tools/skew/child_process.h"

namespace l4lb::skew {
namespace {

constexpr int kVersionTimeoutMs = 5000;

bool IsProgram(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// "1.52.0", but not the 2 of "nghttp2/1.52.0".
bool IsVersion(absl::string_view word) {
  return !word.empty() && absl::ascii_isdigit(word[0]) && word.find('.') != word.npos;
}

}  // namespace

std::vector<std::string> ProgramFolders() {
  const char* const path = std::getenv("PATH");
  std::vector<std::string> folders =
      absl::StrSplit(path == nullptr ? "" : path, ':', absl::SkipEmpty());
  folders.push_back("/usr/sbin");
  return folders;
}

std::string FindProgram(const std::string& name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const std::string path = absl::StrCat(folder, "/", name);
    if (IsProgram(path)) return path;
  }
  return "";
}

absl::StatusOr<std::string> VersionOf(const std::string& path, const std::string& flag) {
  const auto child = ChildProcess::Start({path, flag});
  if (!child.ok()) return child.status();
  if (!(*child)->HasEnded(kVersionTimeoutMs)) {
    return absl::DeadlineExceededError(absl::StrCat(path, " ", flag, " does not end"));
  }
  const std::string output = (*child)->Output();
  const absl::string_view line = absl::string_view(output).substr(0, output.find('\n'));
  if ((*child)->succeeded()) {
    for (const absl::string_view word : absl::StrSplit(line, absl::ByAnyChar(" -+~/"))) {
      if (IsVersion(word)) return std::string(word);
    }
  }
  return absl::UnavailableError(
      absl::StrCat(path, " ", flag, " shows no version: ", (*child)->Ending()));
}

}  // namespace l4lb::skew
