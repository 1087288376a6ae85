// SPDX-License-Identifier: Apache-2.0
//
// Health as an overlay: which node stands in for a dead one.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "maglev/slots.h"

namespace maglev {

/// The table `full` where every slot of a dead node belongs to the first node alive on a walk from
/// that slot, by a step that is a hash of the slot.  The walk sees `full` only, so the result
/// depends on who is alive and not on what happened before: slots of living nodes never change, and
/// when all are back it is `full` again.
///
/// `full.size()` is prime; `alive`: by node, and one of them that owns a slot must be.
/// O(size x slots per slot alive), and less by far when hardly any are alive.
Slots Overlay(const Slots& full, absl::Span<const bool> alive);

}  // namespace maglev
