// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/validate.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/utf8.h"
#include "l4lb/config/validate_health.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {
namespace {

/// Finds values that are there twice.
class Uniqueness {
 public:
  /// `what` is the subject of the sentence, such as `pool "a"`.
  Uniqueness(absl::string_view what, std::vector<Finding>* findings)
      : what_(what), findings_(findings) {}

  void Check(const std::string& value, std::string path) {
    if (value.empty()) return;
    const auto [first, fresh] = paths_.try_emplace(value, path);
    if (fresh) return;
    findings_->push_back(
        {.path = std::move(path),
         .message = absl::StrCat(what_, " \"", Printable(value), "\" is there twice"),
         .first = first->second});
  }

 private:
  const absl::string_view what_;
  std::vector<Finding>* const findings_;
  absl::flat_hash_map<std::string, std::string> paths_;
};

void CheckListenerNames(const Config& config, std::vector<Finding>* findings) {
  Uniqueness names("listener", findings);
  for (size_t i = 0; i < config.listeners.size(); ++i) {
    names.Check(config.listeners[i].name, absl::StrCat("listeners[", i, "].name"));
  }
}

/// Of TCP, port 0 may be asked for any number of times.
void CheckBinds(const Config& config, std::vector<Finding>* findings) {
  Uniqueness addresses("address", findings);
  const auto check = [&](const std::string& bind, std::string path) {
    SocketAddress address;
    std::string ignored;
    if (!SocketAddress::Parse(bind, &address, &ignored)) return;
    if (address.family() != AF_UNIX && address.port() == 0) return;
    addresses.Check(address.ToString(), std::move(path));
  };
  for (size_t i = 0; i < config.listeners.size(); ++i) {
    const std::vector<std::string>& bind = config.listeners[i].bind;
    for (size_t j = 0; j < bind.size(); ++j) {
      check(bind[j], absl::StrCat("listeners[", i, "].bind[", j, "]"));
    }
  }
  check(config.admin.bind, "admin.bind");
}

void CheckAdmin(const Config::Admin& admin, std::vector<Finding>* findings) {
  if (!admin.token_file.empty() || !admin.read_token_file.empty() || !IsReachable(admin.bind)) {
    return;
  }
  findings->push_back({.path = "admin.bind",
                       .message = absl::StrCat("\"", Printable(admin.bind),
                                               "\" may be reached from other machines, and there "
                                               "is no token"),
                       .hint = "set admin.token_file in a configuration file, or bind to "
                               "127.0.0.1:9900 or a UNIX socket"});
}

void CheckPoolNames(const Config& config, std::vector<Finding>* findings) {
  Uniqueness pools("pool", findings);
  for (size_t i = 0; i < config.pools.size(); ++i) {
    const Config::Pool& pool = config.pools[i];
    pools.Check(pool.name, absl::StrCat("pools[", i, "].name"));
    if (pool.backends.size() > kMostBackends) {
      findings->push_back(
          {.path = absl::StrCat("pools[", i, "].backends[", kMostBackends, "]"),
           .message = absl::StrCat("pool \"", Printable(pool.name), "\" has ", pool.backends.size(),
                                   " backends; at most ", kMostBackends, " may be")});
    }
    Uniqueness backends("backend", findings);
    for (size_t j = 0; j < pool.backends.size(); ++j) {
      backends.Check(pool.backends[j].name, absl::StrCat("pools[", i, "].backends[", j, "].name"));
    }
  }
}

/// A name that was given has been checked before; one that is an address may be too long for one.
void CheckNameLength(const Config::Backend& backend, const std::string& path,
                     std::vector<Finding>* findings) {
  const int64_t most = FindKeyByPath("pools[].backends[].name")->max;
  if (backend.name.size() <= static_cast<size_t>(most)) return;
  findings->push_back({.path = absl::StrCat(path, ".address"),
                       .message = absl::StrCat("has ", backend.name.size(),
                                               " bytes, too many for the backend's name; at most ",
                                               most, " may be"),
                       .hint = "give the backend a name"});
}

void CheckSources(const Config::Pool& pool, const std::string& path,
                  std::vector<Finding>* findings) {
  Uniqueness sources("source address", findings);
  for (size_t i = 0; i < pool.source.size(); ++i) {
    SocketAddress address;
    std::string ignored;
    if (!SocketAddress::ParseHost(pool.source[i], &address, &ignored)) continue;
    std::string host = address.ToString();
    host.resize(host.rfind(':'));  // Of the port.
    sources.Check(std::string(absl::StripPrefix(absl::StripSuffix(host, "]"), "[")),
                  absl::StrCat(path, ".source[", i, "]"));
  }
}

void CheckPools(const Config& config, std::vector<Finding>* findings) {
  for (size_t i = 0; i < config.pools.size(); ++i) {
    const Config::Pool& pool = config.pools[i];
    const std::string path = absl::StrCat("pools[", i, "]");
    CheckSources(pool, path, findings);
    for (size_t j = 0; j < pool.backends.size(); ++j) {
      CheckNameLength(pool.backends[j], absl::StrCat(path, ".backends[", j, "]"), findings);
    }
  }
}

bool IsPrime(int64_t number) {
  for (int64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number >= 2;
}

void CheckTableSizes(const Config& config, std::vector<Finding>* findings) {
  for (size_t i = 0; i < config.pools.size(); ++i) {
    const int64_t size = config.pools[i].table_size;
    if (IsPrime(size)) continue;
    int64_t next = size + 1;
    while (!IsPrime(next)) ++next;
    findings->push_back({.path = absl::StrCat("pools[", i, "].table_size"),
                         .message = absl::StrCat("table_size ", size, " is not a prime"),
                         .hint = absl::StrCat("the next one is ", next)});
  }
}

void CheckPoolReferences(const Config& config, std::vector<Finding>* findings) {
  std::vector<absl::string_view> names;
  for (const Config::Pool& pool : config.pools) {
    if (pool.name.empty()) return;  // It may be the one that is meant.
    names.push_back(pool.name);
  }
  if (names.empty()) return;
  std::vector<std::string> shown;
  for (absl::string_view name : names) shown.push_back(Printable(name));
  for (size_t i = 0; i < config.listeners.size(); ++i) {
    const std::string& wanted = config.listeners[i].pool;
    if (wanted.empty() || std::find(names.begin(), names.end(), wanted) != names.end()) continue;
    findings->push_back(
        {.path = absl::StrCat("listeners[", i, "].pool"),
         .message = absl::StrCat("no pool \"", Printable(wanted), "\"; there ",
                                 shown.size() == 1 ? "is " : "are ", JoinNames(shown, "and", 8)),
         .hint = DidYouMean(wanted, names)});
  }
}

}  // namespace

void FillNames(Config* config) {
  for (Config::Listener& listener : config->listeners) {
    if (listener.name.empty() && !listener.bind.empty()) listener.name = listener.bind[0];
  }
  for (Config::Pool& pool : config->pools) {
    for (Config::Backend& backend : pool.backends) {
      if (backend.name.empty()) backend.name = backend.address;
    }
  }
}

std::vector<Finding> Validate(const Config& config, const Origins& origins) {
  std::vector<Finding> findings;
  CheckListenerNames(config, &findings);
  CheckBinds(config, &findings);
  CheckAdmin(config.admin, &findings);
  CheckPoolNames(config, &findings);
  CheckPools(config, &findings);
  CheckTableSizes(config, &findings);
  CheckPoolReferences(config, &findings);
  ValidateHealth(config, origins, &findings);
  return findings;
}

}  // namespace l4lb
