// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/numbers.h"

#include "absl/strings/str_cat.h"

namespace l4lb::kit {

std::string Grouped(uint64_t number) {
  std::string text = absl::StrCat(number);
  for (size_t place = text.size(); place > 3;) text.insert(place -= 3, ",");
  return text;
}

}  // namespace l4lb::kit
