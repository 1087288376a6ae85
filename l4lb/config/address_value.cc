// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/address_value.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/utf8.h"
#include "l4lb/net/named_address.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {
namespace {

bool ParseSource(absl::string_view text, Problem* problem) {
  SocketAddress address;
  if (!SocketAddress::ParseHost(std::string(text), &address, &problem->message)) {
    problem->message = Printable(problem->message);
  } else if (address.is_any()) {
    problem->message = absl::StrCat(Quoted(text), " is no address to connect from");
    problem->hint = "leave it out: then the kernel picks";
  } else {
    return true;
  }
  return false;
}

bool ParseHost(absl::string_view text, Problem* problem) {
  SocketAddress address;
  if (!SocketAddress::ParseHost(std::string(text), &address, &problem->message)) {
    problem->message = Printable(problem->message);
  } else if (address.is_any()) {
    problem->message = absl::StrCat(Quoted(text), " is no address to connect to");
    problem->hint = "did you mean \"127.0.0.1\"?";
  } else {
    return true;
  }
  return false;
}

bool ParseBind(absl::string_view text, Problem* problem) {
  SocketAddress address;
  if (SocketAddress::Parse(std::string(text), &address, &problem->message)) return true;
  problem->message = Printable(problem->message);
  return false;
}

bool ParseAdmin(absl::string_view text, Problem* problem) {
  if (text == kAdminAuto || text == kAdminOff || ParseBind(text, problem)) return true;
  problem->hint = DidYouMean(text, {"auto", "off"});
  if (problem->hint.empty()) problem->hint = "also allowed: auto, off";
  return false;
}

bool ParseBackend(absl::string_view text, Problem* problem) {
  NamedAddress named;
  if (!NamedAddress::Parse(std::string(text), &named, &problem->message)) {
    problem->message = Printable(problem->message);
  } else if (named.address.family() != AF_UNIX && named.port() == 0) {
    problem->message = absl::StrCat(Quoted(text), ": a backend's port must be 1 to 65535");
  } else if (named.address.is_any()) {
    problem->message = absl::StrCat(Quoted(text), ": a backend needs an address of its own");
    problem->hint = absl::StrCat("did you mean \"127.0.0.1:", named.port(), "\"?");
  } else {
    return true;
  }
  return false;
}

bool ParseByType(KeyType type, absl::string_view text, Problem* problem) {
  switch (type) {
    case KeyType::kSourceAddresses:
      return ParseSource(text, problem);
    case KeyType::kHostAddress:
      return ParseHost(text, problem);
    case KeyType::kAdminAddress:
      return ParseAdmin(text, problem);
    case KeyType::kBindAddresses:
      return ParseBind(text, problem);
    default:
      return ParseBackend(text, problem);
  }
}

}  // namespace

bool ParseAddress(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  if (text.empty() && key.may_be_empty()) {
    *value = std::string();
    return true;
  }
  if (text.empty()) {
    problem->message = "is empty";
  } else if (!IsPrintableText(text)) {
    problem->message = absl::StrCat(Quoted(text), " has characters that cannot be printed");
  } else if (ParseByType(key.type, text, problem)) {
    *value = std::string(text);
    return true;
  }
  return false;
}

}  // namespace l4lb
