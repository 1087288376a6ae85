// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/socket_address.h"

#include <arpa/inet.h>
#include <net/if.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace l4lb {
namespace {

constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;  // 107: the kernel wants a NUL.

bool IsDigits(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// An empty optional and a sentence in `*error`, or the port.
std::optional<uint16_t> ParsePort(absl::string_view text, std::string* error) {
  uint32_t port = 0;
  if (text.empty()) {
    *error = "the port is missing after ':'";
  } else if (!IsDigits(text)) {
    *error = absl::StrCat("port '", text, "' is not a number from 0 to 65535");
  } else if (text.size() > 1 && text[0] == '0') {
    *error = absl::StrCat("port '", text, "' has a leading zero");
  } else if (text.size() > 5 || !absl::SimpleAtoi(text, &port) || port > 65535) {
    *error = absl::StrCat("port ", text, " is out of range, 0 to 65535");
  } else {
    return static_cast<uint16_t>(port);
  }
  return std::nullopt;
}

bool ParseIpv4(absl::string_view text, in_addr* out) {
  return text.find('\0') == text.npos && inet_pton(AF_INET, std::string(text).c_str(), out) == 1;
}

bool ParseIpv6(absl::string_view text, in6_addr* out) {
  return text.find('\0') == text.npos && inet_pton(AF_INET6, std::string(text).c_str(), out) == 1;
}

// The index of an interface given by name or number, 0 when there is none.
uint32_t ParseScope(absl::string_view text) {
  uint32_t index = 0;
  if (IsDigits(text)) return absl::SimpleAtoi(text, &index) ? index : 0;
  return if_nametoindex(std::string(text).c_str());
}

SocketAddress MakeIpv4(in_addr host, uint16_t port) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v4.sin_addr = host;
  return SocketAddress(reinterpret_cast<const sockaddr*>(&v4), sizeof(v4));
}

// IPv4-mapped hosts become IPv4, so that ToString() has an inverse.
SocketAddress MakeIpv6(const in6_addr& host, uint16_t port, uint32_t scope) {
  if (IN6_IS_ADDR_V4MAPPED(&host)) {
    in_addr v4;
    std::memcpy(&v4, host.s6_addr + 12, sizeof(v4));
    return MakeIpv4(v4, port);
  }
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  v6.sin6_addr = host;
  v6.sin6_scope_id = scope;
  return SocketAddress(reinterpret_cast<const sockaddr*>(&v6), sizeof(v6));
}

bool ParseUnix(absl::string_view path, SocketAddress* out, std::string* error) {
  if (path.empty() || path[0] != '/') {
    *error = "a UNIX socket needs an absolute path: unix:/path";
    return false;
  }
  if (path.size() > kMaxPath) {
    *error = absl::StrCat("the path of a UNIX socket has at most ", kMaxPath, " bytes, this one ",
                          path.size());
    return false;
  }
  if (path.find('\0') != path.npos) {
    *error = "the path of a UNIX socket must not contain a NUL byte";
    return false;
  }
  sockaddr_un local = {};
  local.sun_family = AF_UNIX;
  path.copy(local.sun_path, kMaxPath);
  const size_t size = offsetof(sockaddr_un, sun_path) + path.size() + 1;
  *out = SocketAddress(reinterpret_cast<const sockaddr*>(&local), static_cast<socklen_t>(size));
  return true;
}

// `host` may name an interface after '%'.
bool ParseScopedIpv6(absl::string_view host, uint16_t port, SocketAddress* out,
                     std::string* error) {
  const size_t percent = host.find('%');
  const uint32_t scope = percent == host.npos ? 0 : ParseScope(host.substr(percent + 1));
  if (percent != host.npos && scope == 0) {
    *error = absl::StrCat("no network interface '", host.substr(percent + 1), "'");
    return false;
  }
  host = host.substr(0, percent);
  in6_addr ip;
  if (!ParseIpv6(host, &ip)) {
    *error = absl::StrCat("'", host, "' is not an IPv6 address");
    return false;
  }
  *out = MakeIpv6(ip, port, scope);
  return true;
}

// `text` begins with '['.
bool ParseBracketed(absl::string_view text, SocketAddress* out, std::string* error) {
  const size_t end = text.find(']');
  if (end == text.npos || end + 1 >= text.size() || text[end + 1] != ':') {
    *error = "an IPv6 address is written [address]:port";
    return false;
  }
  SocketAddress address;
  if (!ParseScopedIpv6(text.substr(1, end - 1), 0, &address, error)) return false;
  const std::optional<uint16_t> port = ParsePort(text.substr(end + 2), error);
  if (!port.has_value()) return false;
  address.set_port(*port);
  *out = address;
  return true;
}

// For an unbracketed text with more than one colon.
std::string BracketAdvice(absl::string_view text) {
  const size_t colon = text.rfind(':');
  in6_addr ip;
  std::string ignored;
  if (ParseIpv6(text.substr(0, colon), &ip) && ParsePort(text.substr(colon + 1), &ignored)) {
    return absl::StrCat("an IPv6 address needs brackets: write [", text.substr(0, colon), "]",
                        text.substr(colon));
  }
  if (ParseIpv6(text, &ip)) {
    return absl::StrCat("an IPv6 address needs brackets and a port: write [", text, "]:PORT");
  }
  return "too many colons: an address is host:port, [v6]:port, :port or unix:/path";
}

// What is wrong with a `host` that is not an IPv4 address.
std::string HostAdvice(absl::string_view host, absl::string_view port) {
  if (host == "*")
    return absl::StrCat("'*' is not an address: write :", port, " for all addresses");
  const bool numeric = host.find_first_not_of("0123456789.") == host.npos;
  if (numeric) return absl::StrCat("'", host, "' is not an IPv4 address");
  return absl::StrCat("host names are not resolved: write a numeric address instead of '", host,
                      "'");
}

bool ParseIp(absl::string_view text, SocketAddress* out, std::string* error) {
  const size_t colon = text.find(':');
  if (colon == text.npos) {
    *error = IsDigits(text) ? absl::StrCat("a port alone is written :", text)
                            : absl::StrCat("the port is missing: write ", text, ":PORT");
    return false;
  }
  if (text.rfind(':') != colon) {
    *error = BracketAdvice(text);
    return false;
  }
  const absl::string_view host = text.substr(0, colon);
  const std::optional<uint16_t> port = ParsePort(text.substr(colon + 1), error);
  if (!port.has_value()) return false;
  in_addr ip;
  if (host.empty()) {
    *out = MakeIpv6(in6addr_any, *port, 0);
  } else if (ParseIpv4(host, &ip)) {
    *out = MakeIpv4(ip, *port);
  } else {
    *error = HostAdvice(host, text.substr(colon + 1));
    return false;
  }
  return true;
}

// What is wrong with a text that is not an address without a port.
std::string BareHostAdvice(absl::string_view text) {
  SocketAddress address;
  std::string ignored;
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    return absl::StrCat("an address without a port has no brackets: write ",
                        text.substr(1, text.size() - 2));
  }
  if (SocketAddress::Parse(std::string(text), &address, &ignored) && address.family() != AF_UNIX) {
    return absl::StrCat("'", text, "' has a port: write the address alone");
  }
  return absl::StrCat("'", text, "' is not a numeric address such as 10.0.0.1 or 2001:db8::1");
}

std::string Ipv6ToString(const sockaddr_in6& v6) {
  char text[INET6_ADDRSTRLEN];
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, text, sizeof(text));
    return absl::StrCat(text, ":", ntohs(v6.sin6_port));
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  if (v6.sin6_scope_id == 0) return absl::StrCat("[", text, "]:", ntohs(v6.sin6_port));
  return absl::StrCat("[", text, "%", v6.sin6_scope_id, "]:", ntohs(v6.sin6_port));
}

std::string UnixToString(const sockaddr_un& local, socklen_t size) {
  const size_t length = size - offsetof(sockaddr_un, sun_path);
  if (length == 0) return "unix";  // A client that did not bind.
  if (local.sun_path[0] == '\0') {
    return absl::StrCat("unix:@", absl::string_view(local.sun_path + 1, length - 1));
  }
  return absl::StrCat("unix:", absl::string_view(local.sun_path, strnlen(local.sun_path, length)));
}

}  // namespace

SocketAddress::SocketAddress(const sockaddr* address, socklen_t size)
    : size_(std::min<socklen_t>(size, sizeof(address_))) {
  std::memcpy(&address_, address, size_);
}

bool SocketAddress::Parse(std::string_view text, SocketAddress* out, std::string* error) {
  const absl::string_view rest(text.data(), text.size());
  if (rest.empty()) {
    *error = "an address is host:port, [v6]:port, :port or unix:/path";
    return false;
  }
  if (absl::StartsWith(rest, "unix:")) return ParseUnix(rest.substr(5), out, error);
  if (rest[0] == '[') return ParseBracketed(rest, out, error);
  return ParseIp(rest, out, error);
}

bool SocketAddress::ParseHost(std::string_view text, SocketAddress* out, std::string* error) {
  const absl::string_view host(text.data(), text.size());
  in_addr v4;
  if (ParseIpv4(host, &v4)) {
    *out = MakeIpv4(v4, 0);
    return true;
  }
  in6_addr v6;
  const size_t percent = host.find('%');
  if (ParseIpv6(host.substr(0, percent), &v6)) return ParseScopedIpv6(host, 0, out, error);
  *error = BareHostAdvice(host);
  return false;
}

uint16_t SocketAddress::port() const {
  if (family() == AF_INET) return ntohs(address_.v4.sin_port);
  if (family() == AF_INET6) return ntohs(address_.v6.sin6_port);
  return 0;
}

void SocketAddress::set_port(uint16_t port) {
  if (family() == AF_INET) address_.v4.sin_port = htons(port);
  if (family() == AF_INET6) address_.v6.sin6_port = htons(port);
}

bool SocketAddress::is_any() const {
  if (family() == AF_INET) return address_.v4.sin_addr.s_addr == htonl(INADDR_ANY);
  return family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&address_.v6.sin6_addr);
}

std::string SocketAddress::ToString() const {
  switch (family()) {
    case AF_INET: {
      char text[INET_ADDRSTRLEN];
      inet_ntop(AF_INET, &address_.v4.sin_addr, text, sizeof(text));
      return absl::StrCat(text, ":", port());
    }
    case AF_INET6:
      return Ipv6ToString(address_.v6);
    case AF_UNIX:
      return UnixToString(address_.local, size_);
    default:
      return "-";
  }
}

bool operator==(const SocketAddress& a, const SocketAddress& b) {
  if (a.family() != b.family()) return false;
  switch (a.family()) {
    case AF_INET:
      return a.port() == b.port() && a.address_.v4.sin_addr.s_addr == b.address_.v4.sin_addr.s_addr;
    case AF_INET6:
      return a.port() == b.port() && a.address_.v6.sin6_scope_id == b.address_.v6.sin6_scope_id &&
             IN6_ARE_ADDR_EQUAL(&a.address_.v6.sin6_addr, &b.address_.v6.sin6_addr);
    case AF_UNIX:
      return a.ToString() == b.ToString();
    default:
      return true;
  }
}

}  // namespace l4lb
