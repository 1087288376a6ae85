// SPDX-License-Identifier: Apache-2.0
//
// What the routes do.  Named in routes.cc only.
#pragma once

#include "l4lb/admin/routes.h"

namespace l4lb {

// read_handlers.cc
Response ListEndpoints(const Call& call, Control& control);
Response GetHealth(const Call& call, Control& control);
Response GetReady(const Call& call, Control& control);
Response GetMetrics(const Call& call, Control& control);
Response GetStatus(const Call& call, Control& control);
Response GetListeners(const Call& call, Control& control);
Response GetListener(const Call& call, Control& control);
Response GetPools(const Call& call, Control& control);
Response GetPool(const Call& call, Control& control);
Response GetBackends(const Call& call, Control& control);
Response GetBackend(const Call& call, Control& control);
Response GetSessions(const Call& call, Control& control);
Response GetWorkers(const Call& call, Control& control);
Response GetConfig(const Call& call, Control& control);
Response GetOpenApi(const Call& call, Control& control);

// change_handlers.cc
Response AddBackend(const Call& call, Control& control);
Response ChangeBackend(const Call& call, Control& control);
Response RemoveBackend(const Call& call, Control& control);
Response CloseBackend(const Call& call, Control& control);
Response DrainBackend(const Call& call, Control& control);
Response UndrainBackend(const Call& call, Control& control);
Response RebalancePool(const Call& call, Control& control);
Response DrainListener(const Call& call, Control& control);
Response UndrainListener(const Call& call, Control& control);
Response CloseSession(const Call& call, Control& control);
Response ReloadConfig(const Call& call, Control& control);
Response DrainProcess(const Call& call, Control& control);

}  // namespace l4lb
