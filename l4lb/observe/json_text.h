// SPDX-License-Identifier: Apache-2.0
//
// JSON strings, written by hand where a JSON library would be too slow.
#pragma once

#include <string>
#include <string_view>

namespace l4lb {

/// Appends `text` in quotes.  UTF-8 is kept as it is; each byte that is not part of valid UTF-8
/// becomes U+FFFD, so that the line is valid JSON whatever the text.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace l4lb
