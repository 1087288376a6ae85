// SPDX-License-Identifier: Apache-2.0
//
// What the kernel's io_uring interface has and the headers that we build with may lack
// (include/uapi/linux/io_uring.h of Linux 6.18).
#pragma once

#include <liburing.h>

#include <cstdint>

// Debian 12 has these in <linux/io_uring.h> only from its next release on.
#ifndef IORING_RECV_MULTISHOT
#define IORING_RECV_MULTISHOT (1U << 1)
#endif
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

namespace l4lb {

/// A multishot receive ends by itself once it has delivered `bytes` (`sqe->optlen`, Linux 6.17; the
/// field shares its place with `file_index`).  Older kernels answer EINVAL.
inline void SetReceiveCap(io_uring_sqe& sqe, uint32_t bytes) { sqe.file_index = bytes; }

}  // namespace l4lb
