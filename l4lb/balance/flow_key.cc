// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/flow_key.h"

#include <algorithm>
#include <array>

#include "maglev/hash.h"

namespace l4lb {

uint64_t FlowKey(HashKey kind, std::string_view ip, uint16_t port) {
  std::array<char, 18> bytes = {};
  std::copy_n(ip.begin(), std::min<size_t>(ip.size(), 16), bytes.begin());
  bytes[16] = static_cast<char>(port >> 8);
  bytes[17] = static_cast<char>(port & 0xff);
  return maglev::Xxh3({bytes.data(), kind == HashKey::kSourceIp ? size_t{16} : bytes.size()}, 0);
}

}  // namespace l4lb
