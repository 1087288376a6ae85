// SPDX-License-Identifier: Apache-2.0
#include "tools/load/churn_plan.h"

#include <cmath>

namespace l4lb::load {
namespace {

constexpr uint64_t kMostBytes = 1 << 20;
constexpr uint64_t kMostBytesReadSlowly = 256 * 1024;

Ending AnyEnding(Chance& chance, bool with_backend) {
  switch (chance.Between(0, with_backend ? 9 : 7)) {
    case 0:
    case 1:
      return Ending::finished_slowly;
    case 2:
      return Ending::client_reset;
    case 3:
      return Ending::client_closed;
    case 8:
      return Ending::backend_finished;
    case 9:
      return Ending::backend_reset;
    default:
      return Ending::finished;
  }
}

}  // namespace

uint64_t Chance::AnySize(uint64_t low, uint64_t high) {
  const double share = static_cast<double>(Next() >> 11) * 0x1.0p-53;
  const double ratio = static_cast<double>(high) / static_cast<double>(low);
  return static_cast<uint64_t>(static_cast<double>(low) * std::pow(ratio, share));
}

ChurnPlan MakeChurnPlan(Chance& chance, bool with_backend) {
  ChurnPlan plan;
  plan.ending = AnyEnding(chance, with_backend);
  const bool slow = plan.ending == Ending::finished_slowly;
  plan.bytes = chance.AnySize(1, slow ? kMostBytesReadSlowly : kMostBytes);
  plan.limit = chance.Between(1, plan.bytes);
  plan.chunk = chance.AnySize(1 + plan.bytes / 64, 1 + plan.bytes);
  plan.by_received = chance.OneIn(2);
  return plan;
}

}  // namespace l4lb::load
