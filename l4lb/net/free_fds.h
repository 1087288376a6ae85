// SPDX-License-Identifier: Apache-2.0
//
// Whether file descriptors are to be had.  Called by a listener that met the limit before it
// accepts again.
#pragma once

namespace l4lb {

/// Whether `count` (at most 8) more can be opened now; others may take them at once.  Errors other
/// than the limits of process and system count as yes.
bool AreFdsFree(int count);

}  // namespace l4lb
