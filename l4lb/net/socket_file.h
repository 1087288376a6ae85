// SPDX-License-Identifier: Apache-2.0
//
// The file that a listening UNIX socket leaves in its folder.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "l4lb/net/socket_address.h"

namespace l4lb {

/// Which file it is, even when another has taken its path.
struct SocketFile {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
};

/// True when a UNIX socket has its file at the path of `address`.
bool HasSocketFile(const SocketAddress& address);

/// The file outlives a process that was killed.  True when nobody listens there any more and it is
/// removed.
bool RemoveStaleSocketFile(const SocketAddress& address);

/// The file of a socket that has just been bound.  Empty when it is not a UNIX socket or has no
/// file any more.
std::optional<SocketFile> SocketFileOf(int fd);

/// Removes the file unless another stands in its place.  To be called before the socket is closed:
/// until then the kernel gives its inode to no other file.  0, or an errno: EEXIST when the file is
/// another one, ENOENT when it is gone.
int RemoveSocketFile(const SocketFile& file);

}  // namespace l4lb
