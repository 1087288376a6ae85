// SPDX-License-Identifier: Apache-2.0
//
// Which limit it was that a session was refused for (close reason `limit`), by the configuration's
// name.  One list for log and counters.
#pragma once

#include <cstdint>

namespace l4lb {

// X(name, the key of the configuration)
#define L4LB_LIMITS(X)                                \
  X(source_connections, "per_source.max_connections") \
  X(source_rate, "per_source.rate")                   \
  X(pool_connections, "pool.max_connections")         \
  X(backend_connections, "backends.max_connections")

enum class Limit : uint8_t {
  none,
#define L4LB_ENUM(name, key) name,
  L4LB_LIMITS(L4LB_ENUM)
#undef L4LB_ENUM
};

// How many values Limit has, `none` included.
inline constexpr int kLimits = 1
#define L4LB_COUNT(name, key) +1
    L4LB_LIMITS(L4LB_COUNT)
#undef L4LB_COUNT
    ;

constexpr const char* KeyOf(Limit limit) {
  switch (limit) {
#define L4LB_KEY(name, key) \
  case Limit::name:         \
    return key;
    L4LB_LIMITS(L4LB_KEY)
#undef L4LB_KEY
    case Limit::none:
      break;
  }
  return "";
}

}  // namespace l4lb
