// SPDX-License-Identifier: Apache-2.0
//
// Why a session ended, and in which phase.  One list for log, counters and API; the names are
// frozen once released.  The first cause wins; *_fin means that both ends finished in order, and
// names the one that finished first.
#pragma once

#include <cstdint>
#include <string_view>

namespace l4lb {

// X(name, what it means)
#define L4LB_CLOSE_REASONS(X)                                                            \
  X(client_fin, "both ends finished, the client first")                                  \
  X(backend_fin, "both ends finished, the backend first")                                \
  X(client_reset, "the client reset the connection")                                     \
  X(backend_reset, "the backend reset the connection")                                   \
  X(client_lost, "the client stopped acknowledging")                                     \
  X(backend_lost, "the backend stopped acknowledging")                                   \
  X(connect_failed, "no backend accepted the connection")                                \
  X(connect_timeout, "no backend accepted the connection in time")                       \
  X(no_backend, "the pool had no backend to try")                                        \
  X(no_port, "no local port was free toward the backend")                                \
  X(no_fd, "no file descriptor was free")                                                \
  X(queue_timeout, "no place at a backend became free in time")                          \
  X(queue_full, "all places at backends were taken, and the queue was full")             \
  X(idle_timeout, "no byte moved either way for idle_timeout")                           \
  X(half_close_timeout, "one end had finished and no byte moved for half_close_timeout") \
  X(max_age, "it had reached max_connection_age")                                        \
  X(rebalanced, "its backend had more than its share of sessions")                       \
  X(drained, "its backend or listener was drained, or removed from the configuration")   \
  X(backend_down, "its backend was down")                                                \
  X(admin_closed, "somebody closed it by the admin API")                                 \
  X(limit, "a limit of the configuration was reached; the log names it")                 \
  X(shutdown, "this process stopped")                                                    \
  X(internal, "this process lacked memory or met an error of its own; the log has the detail")

enum class CloseReason : uint8_t {
#define L4LB_ENUM(name, text) name,
  L4LB_CLOSE_REASONS(L4LB_ENUM)
#undef L4LB_ENUM
};

// Not a close reason itself: how many there are.
inline constexpr int kCloseReasons = 0
#define L4LB_COUNT(name, text) +1
    L4LB_CLOSE_REASONS(L4LB_COUNT)
#undef L4LB_COUNT
    ;

enum class Phase : uint8_t { queue, connect, data };

std::string_view Name(CloseReason reason);
std::string_view Meaning(CloseReason reason);
std::string_view Name(Phase phase);

}  // namespace l4lb
