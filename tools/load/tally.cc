// SPDX-License-Identifier: Apache-2.0
#include "tools/load/tally.h"

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

namespace l4lb::load {

Failure FailureOfErrno(int error) {
  switch (error) {
    case ECONNREFUSED:
      return Failure::connect_refused;
    case ETIMEDOUT:
      return Failure::connect_timeout;
    case ECONNRESET:
    case EPIPE:
      return Failure::reset;
    case EADDRNOTAVAIL:
      return Failure::no_port;
    case EMFILE:
    case ENFILE:
      return Failure::no_fd;
    default:
      return Failure::connect_failed;
  }
}

void Tally::Fail(Failure kind, std::string detail, uint64_t times) {
  failures[static_cast<size_t>(kind)] += times;
  const bool wrong_bytes = kind == Failure::wrong_bytes;
  if (!first_failure.empty() && (first_is_wrong_bytes || !wrong_bytes)) return;
  first_failure = std::move(detail);
  first_is_wrong_bytes = wrong_bytes;
}

void Tally::Merge(const Tally& other) {
  operations += other.operations;
  bytes_up += other.bytes_up;
  bytes_down += other.bytes_down;
  open += other.open;
  cpu_seconds += other.cpu_seconds;
  seconds = std::max(seconds, other.seconds);
  until_ns = std::max(until_ns, other.until_ns);
  latency_ns.Merge(other.latency_ns);
  for (size_t i = 0; i < kFailureCount; ++i) failures[i] += other.failures[i];
  for (size_t i = 0; i < kEndingCount; ++i) endings[i] += other.endings[i];
  if (first_failure.empty() || (other.first_is_wrong_bytes && !first_is_wrong_bytes)) {
    first_failure = other.first_failure;
    first_is_wrong_bytes = other.first_is_wrong_bytes;
  }
}

uint64_t Tally::failed() const {
  return std::accumulate(failures.begin(), failures.end(), uint64_t{0});
}

}  // namespace l4lb::load
