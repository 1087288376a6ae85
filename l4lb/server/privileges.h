// SPDX-License-Identifier: Apache-2.0
//
// From root to the user of the configuration, once what only root may do is done.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace l4lb {

/// Programs that the calling thread, or one that it makes from now on, starts gain nothing by it
/// (no_new_privs).  So before any thread is made.  `user`: for the message.
absl::Status ForbidNewPrivileges(const std::string& user);

/// Becomes `user` for good, with the groups that the system gives it, and keeps one capability,
/// CAP_NET_BIND_SERVICE, so that a reload may bind ports below 1024.  Sets no_new_privs: programs
/// started later gain nothing.  Whether a crash leaves a core file stays as it was.  A process that
/// is that user already only gets no_new_privs; one that is another and not root is an error.
///
/// Call it after binding and opening the logs and before the workers are made: Linux keeps
/// capabilities and no_new_privs for each thread, and threads inherit them.  A thread from before
/// (the log's) becomes the user, too, but has no capability at all.
absl::Status DropPrivileges(const std::string& user);

}  // namespace l4lb
