// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/access.h"

#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "l4lb/admin/answers.h"
#include "l4lb/admin/token_file.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/config/utf8.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {
namespace {

bool IsRead(const Request& request) { return request.method == "GET" || request.method == "HEAD"; }

/// "localhost" of "localhost:9900", "::1" of "[::1]:9900".
absl::string_view NameOf(absl::string_view host) {
  if (absl::ConsumePrefix(&host, "[")) return host.substr(0, host.find(']'));
  return host.substr(0, host.find(':'));
}

/// A page of the API itself, or no page at all.
bool IsSameSite(const Request& request) {
  if (!request.fetch_site.empty() && request.fetch_site != "same-origin" &&
      request.fetch_site != "none") {
    return false;
  }
  if (request.origin.empty()) return true;
  absl::string_view origin = request.origin;
  if (!absl::ConsumePrefix(&origin, "http://")) absl::ConsumePrefix(&origin, "https://");
  return !request.host.empty() && absl::EqualsIgnoreCase(origin, request.host);
}

absl::string_view BearerOf(const Request& request) {
  absl::string_view text = request.authorization;
  constexpr absl::string_view kScheme = "Bearer ";
  if (!absl::StartsWithIgnoreCase(text, kScheme)) return "";
  return absl::StripAsciiWhitespace(text.substr(kScheme.size()));
}

Response Unauthorized(const Request& request) {
  const bool sent = !request.authorization.empty();
  Response response = ErrorAnswer(RequestError{
      .status = 401,
      .what = sent ? "the token is wrong" : "this needs a token",
      .right = "the header Authorization: Bearer TOKEN, with the token of admin.token_file"});
  response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"l4lb\"");
  return response;
}

}  // namespace

absl::Status Access::ReadTokens(const std::string& token_file, const std::string& read_token_file) {
  Tokens tokens;
  const std::pair<const std::string&, std::string*> files[] = {{token_file, &tokens.full},
                                                               {read_token_file, &tokens.read}};
  for (const auto& [path, token] : files) {
    if (path.empty()) continue;
    absl::StatusOr<std::string> read = ReadTokenFile(path);
    if (!read.ok()) return read.status();
    *token = *std::move(read);
  }
  const std::lock_guard lock(mutex_);
  tokens_ = std::make_shared<const Tokens>(std::move(tokens));
  return absl::OkStatus();
}

std::shared_ptr<const Access::Tokens> Access::tokens() const {
  const std::lock_guard lock(mutex_);
  return tokens_;
}

bool Access::IsOurName(const Request& request) const {
  // A browser always sends a Host, and never talks to a UNIX socket.
  if (reachable_ || request.local || request.host.empty()) return true;
  const std::string name = absl::AsciiStrToLower(NameOf(request.host));
  if (name == "localhost" || absl::EndsWith(name, ".localhost")) return true;
  SocketAddress address;
  std::string ignored;
  return SocketAddress::ParseHost(name, &address, &ignored) && IsLoopback(address);
}

std::optional<Response> Access::RefuseByToken(const Request& request, const Tokens& tokens) const {
  if (tokens.full.empty() && tokens.read.empty()) return std::nullopt;
  const absl::string_view bearer = BearerOf(request);
  const std::string_view given(bearer.data(), bearer.size());
  const bool may_all = !tokens.full.empty() && IsToken(given, tokens.full);
  const bool may_read = !tokens.read.empty() && IsToken(given, tokens.read);
  if (may_all || (may_read && IsRead(request))) return std::nullopt;
  if (!may_read) return Unauthorized(request);
  return ErrorAnswer(RequestError{
      .status = 403, .what = "this token may only read", .right = "the token of admin.token_file"});
}

std::optional<Response> Access::Refuse(const Request& request, bool open) const {
  if (!IsOurName(request)) {
    return ErrorAnswer(RequestError{
        .status = 421,
        .what = absl::StrCat("Host: ", Quoted(request.host), " is no name of this address"),
        .right = "localhost or a loopback address"});
  }
  if (!IsRead(request) && !IsSameSite(request)) {
    return ErrorAnswer(RequestError{.status = 403,
                                    .what = "a page of another site may change nothing here",
                                    .right = "a request without Origin, or of this address"});
  }
  if (open) return std::nullopt;
  return RefuseByToken(request, *tokens());
}

}  // namespace l4lb
