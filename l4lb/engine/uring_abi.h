// SPDX-License-Identifier: Apache-2.0
//
// liburing 2.3, and what the kernel's interface has that it lacks (include/uapi/linux/io_uring.h of
// Linux 6.18).
#pragma once

#include <liburing.h>

#include <cstdint>

namespace l4lb {

/// A multishot receive ends by itself once it has delivered `bytes` (`sqe->optlen`, Linux 6.17; the
/// field shares its place with `file_index`).  Older kernels answer EINVAL.
inline void SetReceiveCap(io_uring_sqe& sqe, uint32_t bytes) { sqe.file_index = bytes; }

}  // namespace l4lb
