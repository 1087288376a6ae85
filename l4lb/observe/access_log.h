// SPDX-License-Identifier: Apache-2.0
//
// The access log: one line per session, written by a thread of its own.  Workers put records into
// bounded rings, one per worker; when the writer is behind, records are dropped and counted, and
// traffic is never delayed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/observe/event_log.h"
#include "l4lb/observe/session_record.h"

namespace l4lb {

enum class AccessLogFormat : uint8_t { kJson, kText };

struct AccessLogOptions {
  std::string path;  // "-" is stdout.
  AccessLogFormat format = AccessLogFormat::kJson;
  int workers = 1;
  size_t ring_records = 8192;  // Per worker.
  EventLog* events = nullptr;  // Told of failed writes; must outlive Stop().
};

class AccessLog {
 public:
  virtual ~AccessLog() = default;

  /// Worker thread number `worker` only.  Returns false when the record was dropped.  Never blocks;
  /// makes no system call unless the writer sleeps.
  virtual bool Append(int worker, const SessionRecord& record) = 0;
  /// Opens the path anew (after logrotate).  Any thread.  On failure the old file stays in use.
  virtual absl::Status Reopen() = 0;
  /// Writes what is in the rings and ends the thread; waits `patience_ms` at most for a writer that
  /// is stuck.  Workers have stopped.  Returns lost().  The destructor stops with 1 s of patience.
  virtual uint64_t Stop(int64_t patience_ms) = 0;
  /// Records that Append() took and that could not be written.  Any thread.
  virtual uint64_t lost() const = 0;

  /// A point in the log: how much every worker has appended.
  using Mark = std::vector<uint64_t>;
  virtual Mark Now() const { return {}; }
  /// Nothing that was appended before `mark` is referred to any more.  Any thread.
  virtual bool HasPassed(const Mark&) const { return true; }
};

/// Opens the file (O_APPEND, 0640) and starts the thread.
absl::StatusOr<std::unique_ptr<AccessLog>> OpenAccessLog(const AccessLogOptions& options);

/// One line without its newline.
std::string FormatRecord(const SessionRecord& record, AccessLogFormat format);

}  // namespace l4lb
