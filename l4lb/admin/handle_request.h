// SPDX-License-Identifier: Apache-2.0
//
// From a request to its answer, without any socket: looks the route up, checks query and body
// against the table, and calls what it names.  Who may ask has been checked before (access.h).
#pragma once

#include "l4lb/admin/control.h"
#include "l4lb/admin/request.h"

namespace l4lb {

/// Any thread.  Waits for `control`, unless the request is `direct`.
Response HandleRequest(const Request& request, Control& control);

struct RequestTraits {
  bool direct = true;  // Needs nothing of the control thread; what is refused is direct too.
  bool open = false;   // Needs no token.
};
RequestTraits TraitsOf(const Request& request);

}  // namespace l4lb
