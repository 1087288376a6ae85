// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/resolve.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "l4lb/net/errno_text.h"
#include "l4lb/net/ip_endpoint.h"
#include "l4lb/net/named_address.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

absl::Status CannotResolve(const std::string& host, int error, int system_error) {
  const bool system = error == EAI_SYSTEM;
  const bool missing = error == EAI_NONAME || error == EAI_NODATA;
  return absl::Status(
      missing ? absl::StatusCode::kNotFound : absl::StatusCode::kUnavailable,
      absl::StrCat("cannot resolve ", host, ": ",
                   system ? ErrnoText(system_error) : MidSentence(gai_strerror(error))));
}

// Sends nothing: connecting a datagram socket only asks for a route and an address of ours.
bool HasRoute(const SocketAddress& address) {
  const UniqueFd fd(socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return errno != EAFNOSUPPORT;
  if (connect(fd.get(), address.get(), address.size()) == 0) return true;
  return errno != ENETUNREACH && errno != EHOSTUNREACH && errno != EADDRNOTAVAIL;
}

auto Order(const SocketAddress& address) {
  return std::tuple(address.family(), IpEndpoint(address).ip, address.port());
}

}  // namespace

std::vector<SocketAddress> ReachableInOrder(std::vector<SocketAddress> addresses) {
  std::sort(addresses.begin(), addresses.end(),
            [](const auto& a, const auto& b) { return Order(a) < Order(b); });
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  const auto unreachable = std::stable_partition(addresses.begin(), addresses.end(), HasRoute);
  if (unreachable != addresses.begin()) addresses.erase(unreachable, addresses.end());
  return addresses;
}

absl::StatusOr<std::vector<SocketAddress>> Resolve(std::string_view text) {
  NamedAddress named;
  std::string error;
  if (!NamedAddress::Parse(text, &named, &error)) return absl::InvalidArgumentError(error);
  if (named.host.empty()) return std::vector<SocketAddress>{named.address};
  // Not AI_ADDRCONFIG: it takes a machine whose only IPv6 address is ::1 for one without IPv6, and
  // one with a link-local address for one with.  ReachableInOrder() asks the routing table.
  const addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* list = nullptr;
  const int failure = getaddrinfo(named.host.c_str(), nullptr, &hints, &list);
  if (failure != 0) return CannotResolve(named.host, failure, errno);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    addresses.emplace_back(entry->ai_addr, entry->ai_addrlen).set_port(named.host_port);
  }
  if (addresses.empty()) return CannotResolve(named.host, EAI_NONAME, 0);
  return ReachableInOrder(std::move(addresses));
}

}  // namespace l4lb
