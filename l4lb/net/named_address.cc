// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/named_address.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace l4lb {
namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxName = 253;

bool IsLabelByte(char c) { return absl::ascii_isalnum(c) || c == '-'; }

// As inet_aton() reads numbers: decimal, octal or hexadecimal.
bool IsNumber(absl::string_view label) {
  const bool hex = absl::StartsWithIgnoreCase(label, "0x");
  if (hex) label.remove_prefix(2);
  return (hex || !label.empty()) && std::all_of(label.begin(), label.end(), [hex](char c) {
           return hex ? absl::ascii_isxdigit(c) : absl::ascii_isdigit(c);
         });
}

// Empty when the label is right.
std::string LabelProblem(absl::string_view label) {
  if (label.empty()) return "has a dot too many";
  if (label.size() > kMaxLabel) {
    return absl::StrCat("has a part of ", label.size(), " bytes; at most ", kMaxLabel, " may be");
  }
  if (!std::all_of(label.begin(), label.end(), [](char c) { return absl::ascii_isascii(c); })) {
    return "has characters beyond ASCII: write its xn-- form";
  }
  const auto wrong = std::find_if_not(label.begin(), label.end(), IsLabelByte);
  if (wrong != label.end()) {
    return absl::StrCat("has '", absl::string_view(&*wrong, 1),
                        "', but only letters, digits, '-' and '.' may be");
  }
  if (label.front() == '-' || label.back() == '-') {
    return "has a '-' at the beginning or end of a part";
  }
  return "";
}

// Empty when `host` may be looked up.
std::string HostProblem(absl::string_view host) {
  const std::vector<absl::string_view> labels = absl::StrSplit(absl::StripSuffix(host, "."), '.');
  if (IsNumber(labels.back())) return absl::StrCat("'", host, "' is not an IPv4 address");
  if (host.size() > kMaxName) {
    return absl::StrCat("a host name has at most ", kMaxName, " bytes, this one ", host.size());
  }
  for (absl::string_view label : labels) {
    const std::string problem = LabelProblem(label);
    if (!problem.empty()) return absl::StrCat("host name '", host, "' ", problem);
  }
  return "";
}

// One colon that is neither first nor that of a UNIX socket: what stands before it is the host.
bool LooksLikeHostAndPort(absl::string_view text) {
  const size_t colon = text.find(':');
  return colon != 0 && colon != text.npos && text.rfind(':') == colon && text[0] != '[' &&
         text[0] != '*' && !absl::StartsWith(text, "unix:");
}

}  // namespace

bool NamedAddress::Parse(std::string_view std_text, NamedAddress* out, std::string* error) {
  const absl::string_view text(std_text.data(), std_text.size());
  NamedAddress named;
  if (SocketAddress::Parse(std_text, &named.address, error)) {
    *out = named;
    return true;
  }
  if (!LooksLikeHostAndPort(text)) return false;
  const size_t colon = text.find(':');
  SocketAddress port;  // Has the same rules behind every host.
  if (!SocketAddress::Parse(absl::StrCat("0.0.0.0", text.substr(colon)), &port, error)) {
    return false;
  }
  *error = HostProblem(text.substr(0, colon));
  if (!error->empty()) return false;
  named.host = std::string(text.substr(0, colon));
  named.host_port = port.port();
  *out = named;
  return true;
}

}  // namespace l4lb
