// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/page.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace l4lb::kit {
namespace {

// Data that may stand between <script> and </script>.
std::string InsideScript(absl::string_view json) {
  return absl::StrReplaceAll(json, {{"</", "<\\/"}, {"<!--", "<\\u0021--"}});
}

absl::Status ResultOf(const std::string& path, const std::ofstream& file) {
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
}

}  // namespace

std::string FillPage(const PageParts& parts, absl::string_view json_text) {
  // In one go, so that nothing is looked for in what was put in.
  return absl::StrReplaceAll(parts.html, {{"{{style}}", parts.style},
                                          {"{{script}}", parts.script},
                                          {"{{data}}", InsideScript(json_text)}});
}

absl::Status CheckWritable(const std::string& path) {
  return ResultOf(path, std::ofstream(path, std::ios::binary | std::ios::app));
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return ResultOf(path, file);
}

}  // namespace l4lb::kit
