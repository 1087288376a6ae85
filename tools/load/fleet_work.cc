// SPDX-License-Identifier: Apache-2.0
#include "tools/load/fleet_work.h"

namespace l4lb::load {
namespace {

constexpr int64_t kMostDialing = 128;
constexpr int64_t kLookEveryNs = 50 * kNsPerMs;  // For those that took too long.

}  // namespace

void FleetWork::Open() {
  const int64_t patience_ns = options().connect_timeout_ms * kNsPerMs;
  int next = 0;
  int64_t last_dial_ns = NowNs();
  int64_t look_ns = 0;
  while (!stopped() && (next < size() || dialing_ > 0 || !Ready())) {
    for (; next < size() && dialing_ < kMostDialing; ++next) {
      last_dial_ns = NowNs();
      DialMember(member(next));
    }
    loop().Turn(kNever);
    if (loop().now_ns() < look_ns) continue;
    look_ns = loop().now_ns() + kLookEveryNs;
    const int64_t before_ns = loop().now_ns() - patience_ns;
    for (int i = 0; i < next && dialing_ > 0; ++i) member(i).GiveUpDialing(before_ns);
    if (next == size() && dialing_ == 0 && last_dial_ns < before_ns) return;
  }
}

void FleetWork::DialMember(Connection& connection) {
  ++dialing_;
  if (int error = connection.Dial(dialer(), loop())) OnMemberDialFailed(error);
}

void FleetWork::OnMemberOpen() {
  --dialing_;
  Live::Add(live().open, 1);
}

void FleetWork::OnMemberDialFailed(int error) {
  --dialing_;
  FailOfErrno(error, "connect");
}

void FleetWork::OnMemberClosed() { Live::Add(live().open, static_cast<uint64_t>(-1)); }

}  // namespace l4lb::load
