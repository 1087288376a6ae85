// SPDX-License-Identifier: Apache-2.0
//
// What the access log knows of one finished session: a value that the worker fills in when the
// session closes and the access log's thread turns into a line.
#pragma once

#include <cstdint>

#include "l4lb/net/ip_endpoint.h"
#include "l4lb/observe/close_reason.h"
#include "l4lb/observe/limit.h"

namespace l4lb {

/// Names that outlive every record that points to them (they are kept until the process ends).
struct SessionNames {
  const char* listener = "";
  const char* pool = "";
  const char* policy = "";
};

struct SessionRecord {
  uint64_t id = 0;          // Unique within the process.
  int64_t end_unix_ms = 0;  // Wall clock.
  IpEndpoint client;
  const SessionNames* names = nullptr;
  const char* backend = nullptr;          // Its name; null when none was picked.
  const char* backend_address = nullptr;  // Null when none was picked.  Kept as SessionNames are.
  uint32_t attempts = 0;                  // Connections to backends begun.
  int64_t queue_ms = 0;                   // Waiting for a place at a backend, in all.
  int64_t connect_ms = -1;                // Accept to established; -1 when it never was.
  int64_t first_byte_ms = -1;  // Accept to the first byte of the backend; -1 when none came.
  int64_t total_ms = 0;        // Accept to the end.
  uint64_t client_bytes = 0;   // Delivered to the backend.
  uint64_t backend_bytes = 0;  // Delivered to the client.
  CloseReason reason = CloseReason::internal;
  Limit limit = Limit::none;  // With CloseReason::limit.
  Phase phase = Phase::connect;
};

}  // namespace l4lb
