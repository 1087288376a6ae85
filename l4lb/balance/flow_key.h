// SPDX-License-Identifier: Apache-2.0
//
// What hash policies hash: a number that is the same for the same client in every process.
#pragma once

#include <cstdint>
#include <string_view>

namespace l4lb {

enum class HashKey : uint8_t { kSourceIp, kSourceIpPort };

/// Of 16 bytes of an address (IPv4 as IPv4-mapped) and, for kSourceIpPort, the port: XXH3, 64 bits,
/// seed 0, over the bytes in network order.
uint64_t FlowKey(HashKey kind, std::string_view ip, uint16_t port);

}  // namespace l4lb
