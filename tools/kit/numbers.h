// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace l4lb::kit {

/// "1,234,567"
std::string Grouped(uint64_t number);

}  // namespace l4lb::kit
