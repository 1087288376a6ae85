// SPDX-License-Identifier: Apache-2.0
//
// Listening sockets, and the options that every connection gets.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {

/// TCP keepalive in seconds; 0 leaves the kernel's value.  idle_s 0 turns keepalive off.
struct KeepaliveSeconds {
  int idle_s = 0;
  int interval_s = 0;
  int count = 0;
};

struct ListenOptions {
  int backlog = 4096;
  bool dual_stack = true;  // An IPv6 wildcard also takes IPv4.
  KeepaliveSeconds
      keepalive;  // Accepted sockets inherit it (Linux), as they do TCP_NODELAY and SO_OOBINLINE.
};

/// Binds and listens; non-blocking, close-on-exec, SO_REUSEADDR.  An error names the address and
/// the reason, with a remedy where there is one (EACCES below 1024, EADDRINUSE and which process
/// holds the port if /proc shows it).  kAlreadyExists for EADDRINUSE.
absl::StatusOr<UniqueFd> Listen(const SocketAddress& address, const ListenOptions& options);

/// `count` sockets as Listen() makes them, on one address and (for port 0) one port, over which the
/// kernel spreads the connections (SO_REUSEPORT).  The first one listens before it takes the
/// option: who holds the address already is an error as in Listen(), even another process of the
/// same user that has the option, with which a bind would succeed and get half of its connections.
/// A UNIX address always gets one socket: AF_UNIX has no such option.
absl::StatusOr<std::vector<UniqueFd>> ListenOnEach(const SocketAddress& address,
                                                   const ListenOptions& options, int count);

/// Gives a listening socket this backlog and keepalive.
void TuneListening(int fd, const ListenOptions& options);

/// The address a socket is bound to (the real port where 0 was asked for).
SocketAddress LocalAddress(int fd);
/// The address of the other end of a connected socket; empty when it is not connected.
SocketAddress PeerAddress(int fd);

/// TCP_NODELAY and SO_OOBINLINE: what every TCP connection of ours is given.  0 or an errno.
int SetStreamOptions(int fd);
/// 0 or an errno.
int SetKeepalive(int fd, const KeepaliveSeconds& keepalive);

/// True when the kernel may pick `port` as a local one, so that a connection to it on this machine
/// may meet itself (ip_local_port_range, read once).
bool InEphemeralRange(uint16_t port);

/// True when a connected socket is its own peer (a TCP simultaneous open with itself).
bool IsSelfConnected(int fd);

/// Raises the soft limit of open files to the hard one.  Returns the limit in force.
int64_t RaiseOpenFileLimit();

}  // namespace l4lb
