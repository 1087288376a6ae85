// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/bars.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace l4lb::kit {

std::string Bar(double share, int width, bool ascii) {
  static constexpr const char* kEighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                             "\u258c", "\u258b", "\u258a", "\u2589"};
  const auto eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width * 8));
  const int whole = ascii ? (eighths + 4) / 8 : eighths / 8;
  const int rest = ascii ? 0 : eighths % 8;
  std::string bar;
  for (int i = 0; i < whole; ++i) bar += ascii ? "#" : "\u2588";
  bar += kEighths[rest];
  const int used = whole + (rest > 0 ? 1 : 0);
  return bar + std::string(static_cast<size_t>(width - used), ' ');
}

// As setlocale() looks: the first that is set and not empty.
bool NeedsAscii() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = absl::AsciiStrToLower(value);
    return !absl::StrContains(locale, "utf-8") && !absl::StrContains(locale, "utf8");
  }
  return true;
}

}  // namespace l4lb::kit
