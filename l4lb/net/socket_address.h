// SPDX-License-Identifier: Apache-2.0
//
// An IPv4, IPv6 or UNIX socket address: a value, as the kernel takes it and as people write it.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace l4lb {

class SocketAddress {
 public:
  SocketAddress() = default;
  /// Takes what accept() or getsockname() filled in.  `size` at most sizeof(sockaddr_un).
  SocketAddress(const sockaddr* address, socklen_t size);

  /// `1.2.3.4:80`, `[::1]:80`, `:80` (all addresses, IPv6 dual stack) or `unix:/path`.  Port 0 is
  /// accepted here; the caller says where it makes no sense.  Returns false and puts one sentence
  /// that says what would be right into `*error`; host names are not resolved and are an error.
  static bool Parse(std::string_view text, SocketAddress* out, std::string* error);

  /// `1.2.3.4` or `2001:db8::1`: a numeric address without a port, which becomes 0.  Else as
  /// Parse().
  static bool ParseHost(std::string_view text, SocketAddress* out, std::string* error);

  const sockaddr* get() const { return &address_.any; }
  socklen_t size() const { return size_; }
  int family() const { return size_ == 0 ? AF_UNSPEC : address_.any.sa_family; }
  uint16_t port() const;  ///< 0 for UNIX sockets.
  void set_port(uint16_t port);
  /// True for `:port` and the all-zero addresses.
  bool is_any() const;
  /// The inverse of Parse(); an IPv4-mapped IPv6 address is written as IPv4.  "-" when empty.
  std::string ToString() const;

  friend bool operator==(const SocketAddress& a, const SocketAddress& b);

 private:
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
  } address_ = {};
  socklen_t size_ = 0;
};

}  // namespace l4lb
