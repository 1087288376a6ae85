// SPDX-License-Identifier: Apache-2.0
//
// Times as the tables show them.
#pragma once

#include <string>

namespace l4lb::lab {

/// Milliseconds, "4.1", "120", "4,390"; what is very long in seconds, "1,011 s".
std::string MsText(double ms);

}  // namespace l4lb::lab
