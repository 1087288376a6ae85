// SPDX-License-Identifier: Apache-2.0
//
// What was probably meant by a key that is not known where it stands.  Used by config_reader.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace l4lb {

struct KeyAdvice {
  std::string hint;
  absl::string_view meant;  // The key of this level that it is a misspelling of, or empty.
};

KeyAdvice AdviseOnUnknownKey(absl::string_view level, absl::string_view name);

/// "the top level" or "pools[].keepalive".
std::string LevelText(absl::string_view level);

}  // namespace l4lb
