// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/control_desk.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/config/load.h"
#include "l4lb/server/notice.h"

namespace l4lb {
namespace {

constexpr std::chrono::seconds kPatience{10};

// Has the control thread do `work`, and waits.  What `work` refers to it must own: the wait may end
// before it has begun.
template <typename Work>
auto Ask(ControlLoop& loop, Work work) -> decltype(work(loop)) {
  using Result = decltype(work(loop));
  struct Answer {
    std::optional<Result> result;
    Notice done;
  };
  auto answer = std::make_shared<Answer>();
  const bool posted = loop.Post([answer, &loop, work = std::move(work)] {
    answer->result.emplace(work(loop));
    answer->done.Give();
  });
  if (!posted) return absl::UnavailableError("the process is about to stop");
  if (!answer->done.AwaitUntil(Notice::Clock::now() + kPatience)) {
    return absl::DeadlineExceededError("the control thread is busy; what was asked for may follow");
  }
  return *std::move(answer->result);
}

// The same for a change, which is logged with its outcome.
template <typename Work>
auto AskForChange(ControlLoop& loop, const Caller& caller, std::string what, Work work) {
  return Ask(loop, [caller, what = std::move(what), work = std::move(work)](ControlLoop& control) {
    auto result = work(control);
    const absl::Status status = [&result]() -> absl::Status {
      if constexpr (std::is_same_v<decltype(result), absl::Status>) {
        return result;
      } else {
        return result.status();
      }
    }();
    if (status.ok()) {
      LOG(INFO) << "api (" << caller.name << "): " << what;
    } else {
      LOG(WARNING) << "api (" << caller.name << "): " << what << ": refused: " << status.message();
    }
    return result;
  });
}

std::string Place(const std::string& pool, const std::string& backend) {
  return absl::StrCat("backend ", pool, "/", backend);
}

std::string TextOf(const BackendChange& change) {
  std::string text;
  if (change.state) absl::StrAppend(&text, " state ", std::string(Name(*change.state)));
  if (change.weight) absl::StrAppend(&text, " weight ", *change.weight);
  if (change.max_connections) absl::StrAppend(&text, " max_connections ", *change.max_connections);
  return text;
}

}  // namespace

absl::StatusOr<ProcessStatus> ControlDesk::Status() {
  return Ask(loop_,
             [](ControlLoop& loop) -> absl::StatusOr<ProcessStatus> { return loop.Status(); });
}

absl::StatusOr<std::string> ControlDesk::ConfigText() {
  return Ask(loop_, [](ControlLoop& loop) -> absl::StatusOr<std::string> {
    return PrintConfig(loop.server().config());
  });
}

absl::StatusOr<SessionList> ControlDesk::Sessions(const SessionQuery& query) {
  return Ask(loop_, [query](ControlLoop& loop) -> absl::StatusOr<SessionList> {
    return loop.server().Sessions(query);
  });
}

absl::Status ControlDesk::ChangeBackend(const std::string& pool, const std::string& backend,
                                        const BackendChange& change, const Caller& caller) {
  return AskForChange(loop_, caller, absl::StrCat(Place(pool, backend), ":", TextOf(change)),
                      [pool, backend, change](ControlLoop& loop) {
                        return loop.server().ChangeBackend(pool, backend, change);
                      });
}

absl::Status ControlDesk::AddBackend(const std::string& pool, const NewBackend& backend,
                                     const Caller& caller) {
  return AskForChange(
      loop_, caller, absl::StrCat(Place(pool, backend.name), " added, at ", backend.address),
      [pool, backend](ControlLoop& loop) { return loop.server().AddBackend(pool, backend); });
}

absl::Status ControlDesk::RemoveBackend(const std::string& pool, const std::string& backend,
                                        const Caller& caller) {
  return AskForChange(
      loop_, caller, absl::StrCat(Place(pool, backend), " removed"),
      [pool, backend](ControlLoop& loop) { return loop.server().RemoveBackend(pool, backend); });
}

absl::StatusOr<int64_t> ControlDesk::CloseSessionsOf(const std::string& pool,
                                                     const std::string& backend,
                                                     const Caller& caller) {
  return AskForChange(
      loop_, caller, absl::StrCat(Place(pool, backend), ": its sessions closed"),
      [pool, backend](ControlLoop& loop) { return loop.server().CloseSessionsOf(pool, backend); });
}

absl::Status ControlDesk::CloseSession(uint64_t id, const Caller& caller) {
  return AskForChange(loop_, caller, absl::StrCat("session ", id, " closed"),
                      [id](ControlLoop& loop) { return loop.server().CloseSession(id); });
}

absl::Status ControlDesk::DrainBackend(const std::string& pool, const std::string& backend,
                                       const Caller& caller) {
  return ChangeBackend(pool, backend, {.state = BackendState::kDrain}, caller);
}

absl::Status ControlDesk::UndrainBackend(const std::string& pool, const std::string& backend,
                                         const Caller& caller) {
  return ChangeBackend(pool, backend, {.state = BackendState::kReady}, caller);
}

absl::Status ControlDesk::DrainListener(const std::string& listener, const Caller& caller) {
  return AskForChange(
      loop_, caller, absl::StrCat("listener ", listener, " drained"),
      [listener](ControlLoop& loop) { return loop.server().DrainListener(listener); });
}

absl::Status ControlDesk::UndrainListener(const std::string& listener, const Caller& caller) {
  return AskForChange(
      loop_, caller, absl::StrCat("listener ", listener, " opened again"),
      [listener](ControlLoop& loop) { return loop.server().UndrainListener(listener); });
}

absl::Status ControlDesk::DrainProcess(const Caller& caller) {
  return AskForChange(loop_, caller, "drain of the process",
                      [caller](ControlLoop& loop) -> absl::Status {
                        if (!loop.ready()) return absl::OkStatus();  // It has begun.
                        loop.Stop(caller);
                        return absl::OkStatus();
                      });
}

absl::StatusOr<ReloadReport> ControlDesk::Reload(const Caller& caller) {
  return Ask(loop_, [caller](ControlLoop& loop) { return loop.Reload(caller); });
}

absl::StatusOr<int64_t> ControlDesk::Rebalance(const std::string& pool, const Caller& caller) {
  return AskForChange(loop_, caller, absl::StrCat("rebalance of pool ", pool),
                      [pool](ControlLoop& loop) { return loop.server().Rebalance(pool); });
}

}  // namespace l4lb
