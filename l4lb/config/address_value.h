// SPDX-License-Identifier: Apache-2.0
//
// The values of the key table that are addresses.  Used by value.cc.
#pragma once

#include "absl/strings/string_view.h"
#include "l4lb/config/binding.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/value.h"

namespace l4lb {

/// One address of a key of type kAdminAddress, kBackendAddress, kBindAddresses, kSourceAddresses or
/// kHostAddress, as ParseValue().  Host names are checked, not resolved.
bool ParseAddress(const Key& key, absl::string_view text, Value* value, Problem* problem);

}  // namespace l4lb
