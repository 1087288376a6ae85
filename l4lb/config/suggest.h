// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the nearest of some names.  Used for keys, values, pools and flags.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace l4lb {

/// The candidate that `text` is most likely a misspelling of; empty when none is near.  The first
/// of equals wins.
absl::string_view Nearest(absl::string_view text, const std::vector<absl::string_view>& candidates);

/// `did you mean "x"?` for the nearest, or empty.
std::string DidYouMean(absl::string_view text, const std::vector<absl::string_view>& candidates);

/// "a", "a and b", "a, b and 3 more": at most `most` names.
std::string JoinNames(const std::vector<std::string>& names, absl::string_view conjunction,
                      size_t most);

}  // namespace l4lb
