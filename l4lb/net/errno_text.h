// SPDX-License-Identifier: Apache-2.0
//
// The system's texts as they stand in the middle of our sentences.
#pragma once

#include <string>

namespace l4lb {

/// "connection refused": strerror() with a small first letter.  Any thread.
std::string ErrnoText(int error);

/// Any such text with a small first letter, unless it begins with an abbreviation.
std::string MidSentence(std::string text);

}  // namespace l4lb
