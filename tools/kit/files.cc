// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace l4lb::kit {
namespace {

absl::Status ResultOf(const std::string& path, const std::ofstream& file) {
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
}

}  // namespace

absl::Status CheckWritable(const std::string& path) {
  return ResultOf(path, std::ofstream(path, std::ios::binary | std::ios::app));
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return ResultOf(path, file);
}

}  // namespace l4lb::kit
