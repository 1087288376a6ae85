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
       .choices = {"auto", "epoll"},
       .flag = "engine",
       .summary = "What moves the bytes",
       .text = "`auto` takes the best engine that the kernel allows and says at the start which "
               "one it is."},
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
       .field = BindField<&Config::access_log, &Config::AccessLog::path>(),
       .max = 4095,
       .flag = "access_log",
       .summary = "The file to append to; - is stdout, empty is off",
       .text = "When the disk is slow, lines are dropped and counted; the traffic never waits.",
       .example = "/var/log/l4lb/access.log"},
      {.path = "access_log.format",
       .type = KeyType::kEnum,
       .field = BindField<&Config::access_log, &Config::AccessLog::format>(),
       .choices = {"json", "text"},
       .summary = "One JSON object a line, or columns"},
  };
}

}  // namespace

std::vector<Key> ProcessKeys() { return Concatenate({EngineKeys(), LimitKeys(), LogKeys()}); }

}  // namespace l4lb
