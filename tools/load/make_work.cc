// SPDX-License-Identifier: Apache-2.0
#include "glog/logging.h"
#include "tools/load/bulk_work.h"
#include "tools/load/churn_work.h"
#include "tools/load/connect_work.h"
#include "tools/load/echo_work.h"
#include "tools/load/idle_work.h"
#include "tools/load/work.h"

namespace l4lb::load {

std::unique_ptr<Work> MakeWork(const Options& options, const Pattern& pattern, Share share,
                               std::atomic<bool>& stop) {
  if (options.work == "echo") return std::make_unique<EchoWork>(options, pattern, share, stop);
  if (options.work == "connect") {
    return std::make_unique<ConnectWork>(options, pattern, share, stop);
  }
  if (options.work == "bulk") return std::make_unique<BulkWork>(options, pattern, share, stop);
  if (options.work == "idle") return std::make_unique<IdleWork>(options, pattern, share, stop);
  CHECK_EQ(options.work, "churn");
  return std::make_unique<ChurnWork>(options, pattern, share, stop);
}

}  // namespace l4lb::load
