// SPDX-License-Identifier: Apache-2.0
//
// The page of --html: one file that draws itself and asks the network for nothing.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "tools/lookup/options.h"
#include "tools/lookup/survey.h"

namespace l4lb::lookup {

std::string PageText(const Options& options, const Survey& survey);

/// Whether WriteFile() can; creates the file when there is none.  For asking before long work.
absl::Status CheckWritable(const std::string& path);

/// Writes `text` to `path`, over what is there.  The error names the path and says why.
absl::Status WriteFile(const std::string& path, const std::string& text);

}  // namespace l4lb::lookup
