// SPDX-License-Identifier: Apache-2.0
//
// The query of /v1/sessions.
#pragma once

#include "l4lb/admin/control.h"
#include "l4lb/admin/request.h"
#include "l4lb/admin/target.h"

namespace l4lb {

/// The parameters' names have been checked.  False: a value is wrong.
bool ParseSessionQuery(const Target& target, SessionQuery* out, RequestError* error);

}  // namespace l4lb
