// SPDX-License-Identifier: Apache-2.0
//
// The rows of the key table that are about the process as a whole.
#include "l4lb/config/key_table.h"

namespace l4lb {

namespace {

std::vector<Key> EngineKeys() {
  return {
      {.path = "workers",
       .type = KeyType::kInteger,
       .reload = Reload::kRestart,
       .field = BindField<&Config::workers>(),
       .min = 1,
       .max = 256,
       .word = "auto",
       .word_value = 0,
       .flag = "workers",
       .summary = "How many threads move bytes",
       .text = "Each worker is a thread with its own engine. `auto` runs one for each core that "
               "the process may use.",
       .example = "4"},
      {.path = "engine",
       .type = KeyType::kEnum,
       .reload = Reload::kRestart,
       .field = BindField<&Config::engine>(),
       .choices = {"auto", "epoll", "io_uring"},
       .flag = "engine",
       .summary = "What moves the bytes",
       .text = "The start says which one it is, and why. `auto` takes the one that costs the "
               "least by our measurements, and never fails for want of io_uring; `io_uring` needs "
               "Linux 6.1 or later, and ends the start where the kernel or a container does not "
               "allow it."},
      {.path = "buffers",
       .type = KeyType::kMapping,
       .reload = Reload::kRestart,
       .summary = "Memory for bytes on their way",
       .text = "A connection takes buffers only while it moves bytes; an idle one holds none. When "
               "all are in use, connections wait until one is free."},
      {.path = "buffers.size",
       .type = KeyType::kSize,
       .reload = Reload::kRestart,
       .field = BindField<&Config::buffers, &Config::Buffers::size>(),
       .min = 4 << 10,
       .max = 1 << 20,
       .summary = "Size of one buffer"},
      {.path = "buffers.count",
       .type = KeyType::kInteger,
       .reload = Reload::kRestart,
       .field = BindField<&Config::buffers, &Config::Buffers::count>(),
       .min = 16,
       .max = 1 << 20,
       .summary = "How many buffers a worker has at most"},
  };
}

std::vector<Key> LimitKeys() {
  return {
      {.path = "max_connections",
       .type = KeyType::kInteger,
       .field = BindField<&Config::max_connections>(),
       .min = 1,
       .max = 10'000'000,
       .word = "auto",
       .word_value = 0,
       .flag = "max_connections",
       .summary = "How many sessions may be open at once",
       .text = "Above it new clients wait in the kernel's backlog until a session ends. `auto` "
               "takes as many as the limit of open files allows, at two for each session; a "
               "higher setting is lowered to that with a warning.",
       .example = "9000"},
      {.path = "drain_timeout",
       .type = KeyType::kDuration,
       .field = BindField<&Config::drain_timeout>(),
       .min = 0,
       .max = 24 * 3600 * 1000,
       .flag = "drain_timeout",
       .summary = "How long open sessions may go on after a request to stop",
       .text = "What is still open then is closed. `0s` closes everything at once."},
      {.path = "drain_spread",
       .type = KeyType::kDuration,
       .field = BindField<&Config::drain_spread>(),
       .max = 24 * 3600 * 1000,
       .summary = "The last part of a drain, over which the sessions that are left are closed",
       .text =
           "Evenly, the idlest of each worker first, so that clients do not all connect anew in "
           "the same moment. Of every drain: of the process, of a listener, of a backend, and of "
           "removed ones; one that is shorter is spread as a whole. `0s` closes all at the "
           "end.",
       .example = "10s"},
      {.path = "shutdown_delay",
       .type = KeyType::kDuration,
       .field = BindField<&Config::shutdown_delay>(),
       .max = 3600 * 1000,
       .summary = "How long it still accepts after a request to stop",
       .text = "`/readyz` answers that it is not ready meanwhile, so that whoever sends "
               "connections here can turn away first. `drain_timeout` begins afterwards.",
       .example = "5s"},
      {.path = "user",
       .type = KeyType::kUser,
       .reload = Reload::kRestart,
       .field = BindField<&Config::user>(),
       .max = 256,
       .summary = "The user to become once addresses are bound and logs are open",
       .text = "Needs a start as root; empty stays the user that started it. Of root's "
               "capabilities only CAP_NET_BIND_SERVICE is kept. The user must be able to write to "
               "the access log, which is opened anew when it is rotated.",
       .example = "l4lb"},
  };
}

std::vector<Key> LogKeys() {
  return {
      {.path = "log",
       .type = KeyType::kMapping,
       .summary = "The program's own messages, on stderr"},
      {.path = "log.level",
       .type = KeyType::kEnum,
       .field = BindField<&Config::log_level>(),
       .choices = {"info", "warning", "error"},
       .summary = "The least severe message that is written"},
      {.path = "access_log",
       .type = KeyType::kMapping,
       .summary = "One line for each session that ended"},
      {.path = "access_log.path",
       .type = KeyType::kPath,
       .reload = Reload::kRestart,
       .field = BindField<&Config::access_log, &Config::AccessLog::path>(),
       .max = 4095,
       .flag = "access_log",
       .summary = "The file to append to; - is stdout, empty is off",
       .text = "When the disk is slow, lines are dropped and counted; the traffic never waits.",
       .example = "/var/log/l4lb/access.log"},
      {.path = "access_log.format",
       .type = KeyType::kEnum,
       .reload = Reload::kRestart,
       .field = BindField<&Config::access_log, &Config::AccessLog::format>(),
       .choices = {"json", "text"},
       .summary = "One JSON object a line, or columns"},
  };
}

std::vector<Key> AdminKeys() {
  return {
      {.path = "admin",
       .type = KeyType::kMapping,
       .summary = "The admin API, the metrics and the health probes of this process"},
      {.path = "admin.bind",
       .type = KeyType::kAdminAddress,
       .reload = Reload::kRestart,
       .field = BindField<&Config::admin, &Config::Admin::bind>(),
       .max = 256,
       .flag = "admin",
       .flag_value = "ADDR|auto|off",
       .summary = "Where the admin API listens",
       .text = "`auto` is 127.0.0.1:9900, or another port of 127.0.0.1 when that one is taken; "
               "the start says which. `off` is the default with flags alone. Whoever reaches a "
               "loopback address or a UNIX socket may do everything unless there is a token; any "
               "other address needs one."},
      {.path = "admin.token_file",
       .type = KeyType::kPath,
       .field = BindField<&Config::admin, &Config::Admin::token_file>(),
       .max = 4095,
       .summary = "A file with the token that a request must bear",
       .text = "One line of at least 16 characters, sent as `Authorization: Bearer TOKEN`. "
               "/healthz and /readyz need none. The file is read again at each reload.",
       .example = "/etc/l4lb/admin.token"},
      {.path = "admin.read_token_file",
       .type = KeyType::kPath,
       .field = BindField<&Config::admin, &Config::Admin::read_token_file>(),
       .max = 4095,
       .summary = "A file with a second token, which may only read",
       .text = "For metrics and dashboards. Without `token_file` nobody may change anything.",
       .example = "/etc/l4lb/metrics.token"},
      {.path = "admin.mode",
       .type = KeyType::kFileMode,
       .reload = Reload::kRestart,
       .field = BindField<&Config::admin, &Config::Admin::mode>(),
       .summary = "Who may connect when bind is a UNIX socket",
       .text = "Permissions of the socket's file, in octal."},
      {.path = "watch",
       .type = KeyType::kBool,
       .field = BindField<&Config::watch>(),
       .summary = "Reload whenever the configuration file changes",
       .text = "Without it the file is read again at SIGHUP and at the API's request."},
  };
}

}  // namespace

std::vector<Key> ProcessKeys() {
  return Concatenate({EngineKeys(), LimitKeys(), LogKeys(), AdminKeys()});
}

}  // namespace l4lb
