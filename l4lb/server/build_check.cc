// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/build_check.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "glog/logging.h"
#include "l4lb/config/check_values.h"

namespace l4lb {
namespace {

SocketAddress AddressOf(const Config::HealthCheck& config, const SocketAddress& backend) {
  SocketAddress address = backend;
  std::string error;
  if (!config.address.empty()) {
    CHECK(SocketAddress::ParseHost(config.address, &address, &error)) << error;
    address.set_port(backend.port());
  }
  if (config.port != 0) address.set_port(static_cast<uint16_t>(config.port));
  return address;
}

std::string HttpRequest(const Config::HealthCheck& config, const SocketAddress& address) {
  const std::string host = !config.host.empty()          ? config.host
                           : address.family() == AF_UNIX ? "localhost"
                                                         : address.ToString();
  return absl::StrCat("GET ", config.path, " HTTP/1.1\r\nHost: ", host,
                      "\r\nUser-Agent: l4lb-check\r\nAccept: */*\r\nConnection: close\r\n\r\n");
}

std::string BytesOf(const Config::HealthCheck& config) {
  if (config.send_hex.empty()) return config.send;
  std::string bytes;
  std::string error;
  CHECK(ParseHexBytes(config.send_hex, &bytes, &error)) << error;
  return bytes;
}

std::shared_ptr<const Expectation> ExpectationOf(const Config::HealthCheck& config) {
  if (config.type == Config::CheckType::kHttp) {
    std::vector<std::pair<int, int>> parsed;
    std::string error;
    CHECK(ParseStatusRanges(config.status, &parsed, &error)) << error;
    std::vector<StatusRange> ranges;
    for (const auto& [first, last] : parsed) ranges.push_back({first, last});
    return ExpectHttpStatus(std::move(ranges));
  }
  if (!config.expect.empty()) return ExpectText(config.expect);
  if (config.expect_regex.empty()) return nullptr;
  absl::StatusOr<std::shared_ptr<const Expectation>> regex = ExpectRegex(config.expect_regex);
  CHECK(regex.ok()) << regex.status();
  return *std::move(regex);
}

}  // namespace

CheckTarget CheckTargetFor(const Config::HealthCheck& config, const SocketAddress& address) {
  CheckTarget target{.address = AddressOf(config, address)};
  CheckPlan plan;
  plan.interval_ms = absl::ToInt64Milliseconds(config.interval);
  plan.fast_interval_ms = absl::ToInt64Milliseconds(config.fast_interval);
  plan.timeout_ms = absl::ToInt64Milliseconds(config.timeout);
  plan.rise = static_cast<int>(config.rise);
  plan.fall = static_cast<int>(config.fall);
  plan.limit_bytes = static_cast<size_t>(config.limit);
  if (config.detector.type == Config::DetectorType::kPhi) {
    plan.phi_threshold = static_cast<double>(config.detector.threshold);
  }
  switch (config.type) {
    case Config::CheckType::kNone:
    case Config::CheckType::kTcp:
      break;
    case Config::CheckType::kSendExpect:
      plan.send = BytesOf(config);
      plan.expected = ExpectationOf(config);
      break;
    case Config::CheckType::kHttp:
      plan.send = HttpRequest(config, target.address);
      plan.expected = ExpectationOf(config);
      break;
  }
  target.plan = std::make_shared<const CheckPlan>(std::move(plan));
  return target;
}

EjectionRule EjectionRuleOf(const Config::Eject& config) {
  return {.streak = {.limit = static_cast<int>(config.consecutive),
                     .window_ms = absl::ToInt64Milliseconds(config.window)},
          .rate_percent = static_cast<int>(config.rate),
          .base_ms = absl::ToInt64Milliseconds(config.base),
          .max_ms = absl::ToInt64Milliseconds(config.max),
          .max_ejected_percent = static_cast<int>(config.max_ejected)};
}

}  // namespace l4lb
