// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/engine_choice.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace l4lb {

absl::StatusOr<EngineChoice> ChooseEngine(Config::Engine wanted, EngineKind preferred,
                                          absl::FunctionRef<absl::Status()> available) {
  if (wanted == Config::Engine::kEpoll) return EngineChoice{EngineKind::kEpoll, "configured", ""};
  const bool forced = wanted == Config::Engine::kUring;
  if (!forced && preferred == EngineKind::kEpoll) {
    return EngineChoice{EngineKind::kEpoll, "auto; io_uring only when configured", ""};
  }
  absl::Status status = available();
  if (status.ok()) return EngineChoice{EngineKind::kUring, forced ? "configured" : "auto", ""};
  const absl::string_view lack = absl::StripPrefix(status.message(), "io_uring: ");
  status = absl::Status(status.code(), absl::StrCat("no engine io_uring: ", lack));
  if (forced) return status;
  return EpollInstead(status);
}

EngineChoice EpollInstead(const absl::Status& missing) {
  return {EngineKind::kEpoll, "auto; no io_uring",
          absl::StrCat(missing.message(), "; epoll it is")};
}

}  // namespace l4lb
