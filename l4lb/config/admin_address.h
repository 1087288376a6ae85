// SPDX-License-Identifier: Apache-2.0
//
// The address of the admin API: admin.bind, and the file mode of its UNIX socket.  Used by value.cc
// and validate.cc, and by admin/.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "l4lb/net/socket_address.h"

namespace l4lb {

/// 127.0.0.1:9900, or another port when that one is taken.
inline constexpr char kAdminAuto[] = "auto";
/// No admin API.
inline constexpr char kAdminOff[] = "off";

/// 127.0.0.0/8 and ::1, IPv4-mapped too.
bool IsLoopback(const SocketAddress& address);

/// A value of admin.bind that other machines may be able to reach.  False for what does not parse.
bool IsReachable(std::string_view admin_bind);

/// Three octal digits, or four that begin with 0.  False: it is something else.
bool ParseFileMode(std::string_view text, mode_t* mode);

}  // namespace l4lb
