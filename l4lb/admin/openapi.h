// SPDX-License-Identifier: Apache-2.0
//
// The file openapi.json, built into the program.
#pragma once

#include <string_view>

namespace l4lb {

std::string_view OpenApiDocument();

}  // namespace l4lb
