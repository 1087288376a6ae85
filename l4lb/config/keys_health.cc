// SPDX-License-Identifier: Apache-2.0
//
// The rows of the key table that are about the health of a pool's backends: what takes one out,
// what brings it back, and what becomes of its sessions.
#include "l4lb/config/key_table.h"

namespace l4lb {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kHourMs = 3600 * kSecondMs;
constexpr int64_t kDayMs = 24 * kHourMs;

template <auto... path>
constexpr Field BindCheck() {
  return BindField<&Config::Pool::health_check, path...>();
}

std::vector<Key> CheckKeys() {
  return {
      {.path = "pools[].health_check",
       .type = KeyType::kMapping,
       .summary = "Checks that ask each backend whether it serves",
       .text = "One at a time for each backend, spread over the interval. A check asks the backend "
               "itself, never what the backend depends on: one that fails when a shared database "
               "does takes all backends out at once. At the start of the process a backend takes "
               "sessions until `fall` checks have failed; one that is added later takes none "
               "before its first passed check, as long as others of the pool take them. Needs "
               "`type`."},
      {.path = "pools[].health_check.type",
       .type = KeyType::kEnum,
       .field = BindCheck<&Config::HealthCheck::type>(),
       .choices = {"none", "tcp", "send_expect", "http"},
       .summary = "What a check does",
       .text = "`none`: there are none. `tcp`: connects, sends its FIN, and drops what comes until "
               "the FIN of the backend, so that no log of the backend shows a reset. "
               "`send_expect`: connects, sends `send`, and waits until `expect` or `expect_regex` "
               "appears in the first `limit` bytes. `http`: sends `GET` of `path` with HTTP/1.1, "
               "`Host` and `Connection: close`; the status of the answer must lie in `status`."},
      {.path = "pools[].health_check.interval",
       .type = KeyType::kDuration,
       .field = BindCheck<&Config::HealthCheck::interval>(),
       .min = 10,
       .max = kHourMs,
       .summary = "Time between checks of one backend, from start to start",
       .text = "Each time 5 % more or less, so that checks do not fall into step. A dead backend "
               "is out within `interval` times `fall` plus `timeout`."},
      {.path = "pools[].health_check.fast_interval",
       .type = KeyType::kDuration,
       .field = BindCheck<&Config::HealthCheck::fast_interval>(),
       .min = 10,
       .max = kHourMs,
       .summary = "The interval while results contradict the verdict",
       .text = "When it is not given it is never longer than `interval`."},
      {.path = "pools[].health_check.timeout",
       .type = KeyType::kDuration,
       .field = BindCheck<&Config::HealthCheck::timeout>(),
       .min = 1,
       .max = kHourMs,
       .summary = "How long one check may take, from connecting to its result",
       .text = "A longer one than `interval` delays the next check. When it is not given it is "
               "never longer than `interval`."},
      {.path = "pools[].health_check.rise",
       .type = KeyType::kInteger,
       .field = BindCheck<&Config::HealthCheck::rise>(),
       .min = 1,
       .max = 100,
       .summary = "How many passed checks in a row bring a backend back that was down"},
      {.path = "pools[].health_check.fall",
       .type = KeyType::kInteger,
       .field = BindCheck<&Config::HealthCheck::fall>(),
       .min = 1,
       .max = 100,
       .summary = "How many failed checks in a row take a backend out"},
  };
}

std::vector<Key> CheckPlaceKeys() {
  return {
      {.path = "pools[].health_check.address",
       .type = KeyType::kHostAddress,
       .field = BindCheck<&Config::HealthCheck::address>(),
       .default_text = "the backend's",
       .summary = "The address that is checked, of all backends of the pool",
       .text = "For what answers in the place of the backends.",
       .example = "10.0.0.9"},
      {.path = "pools[].health_check.port",
       .type = KeyType::kInteger,
       .field = BindCheck<&Config::HealthCheck::port>(),
       .max = 65535,
       .default_text = "the backend's",
       .summary = "The port that is checked",
       .text = "For a backend that says on another port how it is: that one must go down when the "
               "backend does. 0 is the backend's own.",
       .example = "8081"},
  };
}

std::vector<Key> SendExpectKeys() {
  return {
      {.path = "pools[].health_check.send",
       .type = KeyType::kText,
       .field = BindCheck<&Config::HealthCheck::send>(),
       .max = 16 << 10,
       .range_note = "send_hex takes every byte",
       .summary = "What is sent, of the type send_expect",
       .text = "In double quotes escapes are understood. Empty sends nothing.",
       .example = R"("PING\r\n")"},
      {.path = "pools[].health_check.send_hex",
       .type = KeyType::kText,
       .field = BindCheck<&Config::HealthCheck::send_hex>(),
       .max = 3 * (16 << 10),
       .range_note = "two hex digits are written for each byte",
       .summary = "Likewise, in hex: two digits for each byte",
       .text = "Blanks may stand between bytes. Not together with `send`.",
       .example = "\"50 49 4e 47 0d 0a\""},
      {.path = "pools[].health_check.expect",
       .type = KeyType::kText,
       .field = BindCheck<&Config::HealthCheck::expect>(),
       .max = 4096,
       .range_note = R"(expect_regex takes every byte, as in \xff)",
       .summary = "The text that must appear in the answer, of the type send_expect",
       .text = "Without it and without `expect_regex` the connection alone is enough.",
       .example = "\"+PONG\""},
      {.path = "pools[].health_check.expect_regex",
       .type = KeyType::kText,
       .field = BindCheck<&Config::HealthCheck::expect_regex>(),
       .max = 4096,
       .range_note = R"(a byte above 127 is written like \xff)",
       .summary = "Likewise, as a regular expression of RE2 that must match somewhere in it",
       .text = "The answer is bytes, not UTF-8. Not together with `expect`.",
       .example = R"('^\+(PONG|OK)')"},
      {.path = "pools[].health_check.limit",
       .type = KeyType::kSize,
       .field = BindCheck<&Config::HealthCheck::limit>(),
       .min = 1,
       .max = 64 << 10,
       .summary = "How much a check reads at most",
       .text = "What is to appear must do so within it."},
  };
}

std::vector<Key> HttpKeys() {
  return {
      {.path = "pools[].health_check.path",
       .type = KeyType::kWord,
       .field = BindCheck<&Config::HealthCheck::path>(),
       .max = 2048,
       .summary = "What is asked for, of the type http",
       .text = "It begins with a slash.",
       .example = "/health"},
      {.path = "pools[].health_check.host",
       .type = KeyType::kWord,
       .field = BindCheck<&Config::HealthCheck::host>(),
       .max = 255,
       .default_text = "the address that is checked",
       .summary = "The `Host` of the request, of the type http",
       .example = "www.example"},
      {.path = "pools[].health_check.status",
       .type = KeyType::kWord,
       .field = BindCheck<&Config::HealthCheck::status>(),
       .max = 255,
       .summary = "The statuses that are good, of the type http",
       .text = "Single ones and ranges, with commas between them.",
       .example = "\"200,204,300-399\""},
  };
}

std::vector<Key> DetectorKeys() {
  return {
      {.path = "pools[].health_check.detector",
       .type = KeyType::kMapping,
       .summary = "How results of checks become a verdict"},
      {.path = "pools[].health_check.detector.type",
       .type = KeyType::kEnum,
       .field = BindCheck<&Config::HealthCheck::detector, &Config::Detector::type>(),
       .choices = {"count", "phi"},
       .summary = "What takes a backend out",
       .text = "`count`: `fall` failed checks in a row. `phi`: the suspicion that it is dead, by "
               "the phi-accrual method: -log10 of the chance that a passed check comes as late "
               "as the next one is, from the last 100 intervals between passed ones, with a "
               "deviation of at least 100 ms and a quarter of the interval. It adapts to a "
               "backend whose answers are irregular. Until 8 checks have passed results are "
               "counted."},
      {.path = "pools[].health_check.detector.threshold",
       .type = KeyType::kInteger,
       .field = BindCheck<&Config::HealthCheck::detector, &Config::Detector::threshold>(),
       .min = 1,
       .max = 100,
       .summary = "The suspicion that takes a backend out, of the detector phi",
       .text = "At 8 a backend that is alive is taken for dead once in 100 million intervals, as "
               "far as they are normally distributed."},
  };
}

std::vector<Key> EjectKeys() {
  return {
      {.path = "pools[].eject",
       .type = KeyType::kMapping,
       .summary = "What takes a backend out by what sessions meet there, without any check",
       .text = "A failure is a connection that was refused, that was not made within "
               "`connect_timeout`, or that the backend reset before its first byte. Never one for "
               "want of our own ports, files or memory, and never the last backend that takes "
               "sessions. A passed check ends it early."},
      {.path = "pools[].eject.consecutive",
       .type = KeyType::kInteger,
       .field = BindField<&Config::Pool::eject, &Config::Eject::consecutive>(),
       .max = 1000,
       .summary = "How many failures within `window`, none good between, eject a backend",
       .text = "0: these alone never do."},
      {.path = "pools[].eject.rate",
       .type = KeyType::kPercentage,
       .field = BindField<&Config::Pool::eject, &Config::Eject::rate>(),
       .max = 100,
       .summary = "The share of failures within `window` that ejects a backend",
       .text = "Of at least 10 connections. `0%`: this alone never does."},
      {.path = "pools[].eject.window",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::eject, &Config::Eject::window>(),
       .min = 10,
       .max = kHourMs,
       .summary = "How long a failure counts"},
      {.path = "pools[].eject.base",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::eject, &Config::Eject::base>(),
       .min = 10,
       .max = kDayMs,
       .summary = "How long a backend is out the first time",
       .text =
           "Twice as long each time again, 10 % more or less. After twice the last time without a "
           "failure that ejects it begins with this again."},
      {.path = "pools[].eject.max",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::eject, &Config::Eject::max>(),
       .min = 10,
       .max = kDayMs,
       .summary = "How long a backend is out at most"},
      {.path = "pools[].eject.max_ejected",
       .type = KeyType::kPercentage,
       .field = BindField<&Config::Pool::eject, &Config::Eject::max_ejected>(),
       .max = 100,
       .summary = "The share of the pool's backends that may be ejected at once",
       .text = "Rounded down: of two backends the default ejects none. `0%` ejects none ever."},
  };
}

std::vector<Key> ShareKeys() {
  return {
      {.path = "pools[].fail_open",
       .type = KeyType::kMapping,
       .summary = "What to do when so few backends are healthy that the checks may be wrong"},
      {.path = "pools[].fail_open.below",
       .type = KeyType::kFactor,
       .field = BindField<&Config::Pool::fail_open, &Config::FailOpen::below>(),
       .min = 1,
       .max = 100,
       .word = "0",
       .word_value = 0,
       .summary = "The share of healthy backends below which unhealthy ones are used, too",
       .text = "Of the backends that are ready and are no backups. Below it healthy backups help "
               "out; when no backup is healthy, all backends that are ready are taken as healthy. "
               "0 never does: with all down a session ends at once with the reason `no_backend`.",
       .example = "0.5"},
      {.path = "pools[].slow_start",
       .type = KeyType::kMapping,
       .summary = "How a backend comes to its share of new sessions",
       .text = "After it recovered, was ejected or was added; never at the start of the process. "
               "Not with the policies maglev and ring."},
      {.path = "pools[].slow_start.time",
       .type = KeyType::kDuration,
       .field = BindField<&Config::Pool::slow_start, &Config::SlowStart::time>(),
       .max = kDayMs,
       .summary = "How long its share rises, evenly, until it has all of it",
       .text = "Its `max_connections` rises likewise. `0s`: it has all at once.",
       .example = "30s"},
      {.path = "pools[].slow_start.floor",
       .type = KeyType::kPercentage,
       .field = BindField<&Config::Pool::slow_start, &Config::SlowStart::floor>(),
       .min = 1,
       .max = 100,
       .summary = "How much of its share it has at the beginning"},
      {.path = "pools[].on_down",
       .type = KeyType::kSessions,
       .field = BindField<&Config::Pool::on_down>(),
       .min = 1,
       .max = 7 * kDayMs,
       .summary = "What becomes of the sessions of a backend that its checks found to be down",
       .text = "`keep`: they go on. `close`: they are closed at once. `{drain: 30s}`: those that "
               "have not ended by then are closed, in the last `drain_spread` of it. "
               "Nothing is closed while `fail_open` takes all as healthy."},
  };
}

}  // namespace

std::vector<Key> HealthKeys() {
  return Concatenate({ShareKeys(), EjectKeys(), CheckKeys(), CheckPlaceKeys(), SendExpectKeys(),
                      HttpKeys(), DetectorKeys()});
}

}  // namespace l4lb
