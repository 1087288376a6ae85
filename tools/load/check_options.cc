// SPDX-License-Identifier: Apache-2.0
#include "tools/load/check_options.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace l4lb::load {
namespace {

// What one send() into an empty socket takes whole.
constexpr int64_t kMostBytesAtOnce = 64 * 1024;
constexpr int64_t kMostBytesOfMessage = int64_t{1} << 30;

bool IsIpv4(const SocketAddress& address) { return address.family() == AF_INET; }

std::string WrongSize(const Options& options) {
  if (options.work == "bulk" || options.work == "churn") return "";
  const bool at_once = options.work != "echo";
  const int64_t most = at_once ? kMostBytesAtOnce : kMostBytesOfMessage;
  int64_t least = options.work == "idle" ? 0 : 1;
  // The Ask is the beginning of the request.
  if (options.work == "connect" && options.ask) least = Ask::kSize;
  if (options.size >= least && options.size <= most) return "";
  return absl::StrCat("--size is ", least, " to ", most, " bytes here, not ", options.size);
}

}  // namespace

std::string WhatIsWrong(const Options& options) {
  for (const SocketAddress& target : options.targets) {
    if (target.family() != AF_UNIX && target.port() == 0) return "--target needs a port";
  }
  if (!options.sources.empty() &&
      !std::all_of(options.targets.begin(), options.targets.end(), IsIpv4)) {
    return "--sources are IPv4 addresses, and need targets of IPv4";
  }
  if (options.duration_ms == 0 && !options.stay) return "the time is 0: write 1s or more";
  const bool bulk = options.work == "bulk";
  if (bulk && options.verify && options.direction == Direction::kUp && !options.ask) {
    return "who checks bytes up is the backend: --verify needs --ask, and `serve --mode=ask` there";
  }
  return WrongSize(options);
}

std::string WhatIsWrong(const ServeOptions& options) {
  if (options.size < 1 || options.size > kMostBytesOfMessage) {
    return absl::StrCat("--size is 1 to ", kMostBytesOfMessage, " bytes, not ", options.size);
  }
  if (options.close_first && options.mode != Mode::kAnswer) {
    return "--close_first is of --mode=answer";
  }
  return "";
}

}  // namespace l4lb::load
