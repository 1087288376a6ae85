// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/session_query.h"

#include <array>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/units.h"
#include "l4lb/config/utf8.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {
namespace {

constexpr int64_t kMostSessions = 10'000;
constexpr std::array<absl::string_view, 4> kSorts = {"id", "age", "idle", "bytes"};

struct Parameter {
  const std::string& name;
  const std::string& text;
};

bool Wrong(const Parameter& parameter, absl::string_view what, std::string right,
           RequestError* error) {
  *error = {.what = absl::StrCat(parameter.name, ": ", Quoted(parameter.text), " ", what),
            .right = std::move(right),
            .field = parameter.name};
  return false;
}

bool ReadDuration(const Parameter& parameter, int64_t* ms, RequestError* error) {
  const std::optional<int64_t> parsed = ParseDurationMs(parameter.text);
  if (parsed) {
    *ms = *parsed;
    return true;
  }
  const std::string meant = SuggestDuration(parameter.text);
  return Wrong(parameter, "is not a duration",
               meant.empty() ? "a duration is written like 250ms, 5s or 1h30m"
                             : absl::StrCat("did you mean \"", meant, "\"?"),
               error);
}

bool ReadLimit(const Parameter& parameter, int64_t* limit, RequestError* error) {
  const std::optional<int64_t> parsed = ParseWholeNumber(parameter.text);
  if (!parsed || *parsed < 1 || *parsed > kMostSessions) {
    return Wrong(parameter, parsed ? "is out of range" : "is not a whole number",
                 absl::StrCat("1 to ", kMostSessions), error);
  }
  *limit = *parsed;
  return true;
}

bool ReadSort(const Parameter& parameter, SessionQuery::Sort* sort, RequestError* error) {
  for (size_t i = 0; i < kSorts.size(); ++i) {
    if (parameter.text != kSorts[i]) continue;
    *sort = static_cast<SessionQuery::Sort>(i);
    return true;
  }
  const std::string meant = DidYouMean(parameter.text, {kSorts.begin(), kSorts.end()});
  return Wrong(parameter, "is no order", meant.empty() ? "id, age, idle or bytes" : meant, error);
}

/// The address as ToString() writes it, without the port.
bool ReadClient(const Parameter& parameter, std::string* client, RequestError* error) {
  SocketAddress address;
  std::string why;
  if (parameter.text == "unix") {
    *client = parameter.text;
    return true;
  }
  if (!SocketAddress::ParseHost(parameter.text, &address, &why)) {
    return Wrong(parameter, "is not an IP address",
                 "an address without a port, such as 10.0.0.7, or unix", error);
  }
  std::string text = address.ToString();
  text.resize(text.rfind(':'));
  *client = text[0] == '[' ? text.substr(1, text.size() - 2) : text;
  return true;
}

bool ReadParameter(const Parameter& parameter, SessionQuery* out, RequestError* error) {
  if (parameter.name == "client") return ReadClient(parameter, &out->client, error);
  if (parameter.name == "older_than") return ReadDuration(parameter, &out->older_than_ms, error);
  if (parameter.name == "idle_for") return ReadDuration(parameter, &out->idle_for_ms, error);
  if (parameter.name == "sort") return ReadSort(parameter, &out->sort, error);
  if (parameter.name == "limit") return ReadLimit(parameter, &out->limit, error);
  if (parameter.text.empty()) {
    return Wrong(parameter, "is empty", absl::StrCat("a name, or no ", parameter.name), error);
  }
  if (parameter.name == "listener") out->listener = parameter.text;
  if (parameter.name == "pool") out->pool = parameter.text;
  if (parameter.name == "backend") out->backend = parameter.text;
  return true;
}

}  // namespace

bool ParseSessionQuery(const Target& target, SessionQuery* out, RequestError* error) {
  for (const auto& [name, text] : target.query) {
    if (!ReadParameter({name, text}, out, error)) return false;
  }
  return true;
}

}  // namespace l4lb
