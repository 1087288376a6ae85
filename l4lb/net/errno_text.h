// SPDX-License-Identifier: Apache-2.0
//
// Errnos as they stand in the middle of our sentences.
#pragma once

#include <string>

namespace l4lb {

/// "connection refused": strerror() with a small first letter.  Any thread.
std::string ErrnoText(int error);

}  // namespace l4lb
