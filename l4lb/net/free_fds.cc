// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/free_fds.h"

#include <errno.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "l4lb/net/unique_fd.h"

namespace l4lb {

bool AreFdsFree(int count) {
  constexpr int kMost = 8;
  UniqueFd taken[kMost];
  for (int i = 0; i < std::min(count, kMost); ++i) {
    taken[i].Reset(::eventfd(0, EFD_CLOEXEC));
    if (!taken[i]) return errno != EMFILE && errno != ENFILE;
  }
  return true;
}

}  // namespace l4lb
