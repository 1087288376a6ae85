// SPDX-License-Identifier: Apache-2.0
//
// The socket that the admin API listens on.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "l4lb/net/socket_file.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {

struct AdminListener {
  UniqueFd fd;
  std::optional<SocketFile> file;  // Of a UNIX socket; to be removed before `fd` is closed.
  std::string address;             // With the real port.
};

/// `bind` as admin.bind, `mode` as admin.mode.  A file that a killed process left is replaced, one
/// that somebody listens on is not.  With "auto" a port that is taken is logged, and another one
/// used; any other failure is an error that names the address and the reason.
absl::StatusOr<AdminListener> ListenForAdmin(const std::string& bind, const std::string& mode);

}  // namespace l4lb
