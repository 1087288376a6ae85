// SPDX-License-Identifier: Apache-2.0
//
// A session as the tests of the access log use it.
#pragma once

#include <string>

#include "l4lb/observe/session_record.h"

namespace l4lb {

inline constexpr SessionNames kSampleNames = {
    .listener = "postgres", .pool = "pg", .policy = "round_robin"};

/// A session that went well.  2024-02-29T23:59:58.007Z.
inline SessionRecord SampleRecord(uint64_t id = 42) {
  SocketAddress client;
  std::string error;
  SocketAddress::Parse("192.0.2.7:50123", &client, &error);
  SessionRecord record;
  record.id = id;
  record.end_unix_ms = 1'709'251'198'007;
  record.client = IpEndpoint(client);
  record.names = &kSampleNames;
  record.backend = "pg1";
  record.backend_address = "10.0.0.1:5432";
  record.attempts = 1;
  record.connect_ms = 3;
  record.first_byte_ms = 5;
  record.total_ms = 1200;
  record.client_bytes = 77;
  record.backend_bytes = uint64_t{1} << 40;
  record.reason = CloseReason::client_fin;
  record.phase = Phase::data;
  return record;
}

}  // namespace l4lb
