// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/page.h"

#include "absl/strings/str_replace.h"

namespace l4lb::kit {
namespace {

// Data that may stand between <script> and </script>.
std::string InsideScript(absl::string_view json) {
  return absl::StrReplaceAll(json, {{"</", "<\\/"}, {"<!--", "<\\u0021--"}});
}

}  // namespace

std::string FillPage(const PageParts& parts, absl::string_view json_text) {
  // In one go, so that nothing is looked for in what was put in.
  return absl::StrReplaceAll(parts.html, {{"{{style}}", parts.style},
                                          {"{{script}}", parts.script},
                                          {"{{data}}", InsideScript(json_text)}});
}

}  // namespace l4lb::kit
