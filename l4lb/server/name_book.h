// SPDX-License-Identifier: Apache-2.0
//
// The names that session records point to: kept until the process ends, each combination once.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "l4lb/observe/session_record.h"

namespace l4lb {

class NameBook {
 public:
  const SessionNames& Intern(const std::string& listener, const std::string& pool,
                             const std::string& policy) {
    const auto [entry, is_new] = names_.try_emplace({listener, pool, policy});
    const auto& [kept_listener, kept_pool, kept_policy] = entry->first;
    if (is_new) {
      entry->second = {.listener = kept_listener.c_str(),
                       .pool = kept_pool.c_str(),
                       .policy = kept_policy.c_str()};
    }
    return entry->second;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, SessionNames> names_;
};

}  // namespace l4lb
