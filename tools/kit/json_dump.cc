// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/json_dump.h"

namespace l4lb::kit {

std::string Dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace l4lb::kit
