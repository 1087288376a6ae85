// SPDX-License-Identifier: Apache-2.0
#include "tools/load/dialer.h"

#include "tools/kit/dial.h"

namespace l4lb::load {

int Dialer::Dial(UniqueFd* out) {
  const SocketAddress& target = targets_[dialed_ % targets_.size()];
  // Not in step with the targets, or each target would see some of the sources only.
  const uint64_t round = dialed_ / targets_.size();
  const SocketAddress* source = sources_.empty() ? nullptr : &sources_[round % sources_.size()];
  ++dialed_;
  return kit::Dial(target, source, out, receive_buffer_);
}

}  // namespace l4lb::load
