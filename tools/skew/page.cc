// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/page.h"

#include "tools/kit/page.h"
#include "tools/skew/json.h"
#include "tools/skew/web_parts.h"

namespace l4lb::skew {

std::string PageText(const Options& options, const Outcome& outcome) {
  return kit::FillPage(kPageParts, PageJson(options, outcome));
}

}  // namespace l4lb::skew
