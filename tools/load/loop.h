// SPDX-License-Identifier: Apache-2.0
//
// The tools' event loop and clock, by the names that the works and the backend use.
#pragma once

#include "tools/kit/event_loop.h"

namespace l4lb::load {

using kit::EventLoop;
using kit::kNsPerMs;
using kit::kNsPerSecond;
using kit::NowNs;
using kit::Watcher;

}  // namespace l4lb::load
