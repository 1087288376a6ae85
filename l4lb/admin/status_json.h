// SPDX-License-Identifier: Apache-2.0
//
// The values of observe/status.h as JSON, under the names that they have there.  Numbers that do
// not fit a double (ids, checksums) are texts.  openapi.json describes the same; a test compares.
#pragma once

#include "l4lb/admin/control.h"
#include "l4lb/admin/json_writer.h"
#include "l4lb/observe/status.h"

namespace l4lb {

/// All but the backends and the histograms.
void WriteStatus(const ProcessStatus& status, JsonWriter* json);
void WriteListener(const ListenerStatus& listener, JsonWriter* json);

enum class Backends { kWith, kWithout };
void WritePool(const PoolStatus& pool, Backends backends, JsonWriter* json);
void WriteBackend(const BackendStatus& backend, JsonWriter* json);
void WriteWorkers(const std::vector<WorkerStatus>& workers, JsonWriter* json);
void WriteSessions(const SessionList& list, JsonWriter* json);
void WriteReport(const ReloadReport& report, JsonWriter* json);

}  // namespace l4lb
