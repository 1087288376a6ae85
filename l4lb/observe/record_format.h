// SPDX-License-Identifier: Apache-2.0
//
// The line of the access log for one session.  Called by the access log's thread.
#pragma once

#include <string>

#include "l4lb/observe/access_log.h"
#include "l4lb/observe/session_record.h"

namespace l4lb {

/// Appends FormatRecord()'s line, without its newline.
void AppendRecord(const SessionRecord& record, AccessLogFormat format, std::string* out);

}  // namespace l4lb
