// SPDX-License-Identifier: Apache-2.0
//
// From the address of a backend in the configuration to socket addresses.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {

/// Looks up what NamedAddress::Parse() takes: a numeric or UNIX address is its own result, a host
/// name has one or more, each once, IPv4 first and then by value, so that every start and every
/// machine has the same order.  Addresses that this machine has no route to are left out as long as
/// there are others.  Blocks as long as the resolver does (seconds): for the control thread.
/// Errors: "cannot resolve db1.example: ..."; kNotFound, or kUnavailable when a later try may help.
absl::StatusOr<std::vector<SocketAddress>> Resolve(std::string_view text);

/// The part of Resolve() after the lookup.
std::vector<SocketAddress> ReachableInOrder(std::vector<SocketAddress> addresses);

}  // namespace l4lb
