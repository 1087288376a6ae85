// SPDX-License-Identifier: Apache-2.0
//
// MD5 (RFC 1321), for one purpose: Ketama's points are made of it.  Not fit for anything secret.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ring {

/// The digest as the four words of which Ketama makes four points, in the order of its bytes.
std::array<uint32_t, 4> Md5(std::string_view bytes);

}  // namespace ring
