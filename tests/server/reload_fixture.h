// SPDX-License-Identifier: Apache-2.0
//
// A server in the process, over the engine under test, with two workers and the backends a, b, c,
// on whose configuration the tests of reload work.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "glog/logging.h"
#include "l4lb/config/config.h"
#include "l4lb/net/listen.h"
#include "l4lb/server/server.h"
#include "tests/server/each_engine.h"
#include "tests/server/letters.h"
#include "tests/server/status_check.h"
#include "tests/support/addresses.h"

namespace l4lb {

class ReloadFixture : public ::testing::TestWithParam<Config::Engine> {
 protected:
  void SetUp() override { NeedEngine(GetParam()); }

  LetterBackend& backend(char letter) {
    return letter == a_.letter() ? a_ : letter == b_.letter() ? b_ : c_;
  }
  Config::Pool PoolOf(const std::string& name, const std::string& letters) {
    Config::Pool pool;
    pool.name = name;
    pool.policy = Config::Policy::kRoundRobin;
    for (const char letter : letters) pool.backends.push_back(backend(letter).config());
    return pool;
  }
  static Config::Listener ListenerOf(const std::string& name, const std::string& pool,
                                     const std::string& bind = "127.0.0.1:0") {
    return {.name = name, .bind = {bind}, .pool = pool};
  }
  /// Nobody listens there now.  For tests that close and open the same address.
  static std::string FreeAddress() {
    const absl::StatusOr<UniqueFd> socket = Listen(Parsed("127.0.0.1:0"), {});
    CHECK(socket.ok()) << socket.status();
    return LocalAddress(socket->get()).ToString();
  }
  /// The listener "front" on the pool "back" with these backends.
  Config FrontToBack(const std::string& letters) {
    Config config;
    config.workers = 2;
    config.engine = GetParam();
    config.listeners.push_back(ListenerOf("front", "back"));
    config.pools.push_back(PoolOf("back", letters));
    return config;
  }

  void Start(const Config& config) {
    auto server = Server::Start(config);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  Server& server() { return *server_; }
  ReloadReport Reload(const Config& config) {
    auto report = server_->Reload(config);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *std::move(report) : ReloadReport();
  }
  std::string Address(const std::string& listener = "front") {
    const ProcessStatus status = server_->Status();
    const ListenerStatus* const found = FindListener(status, listener);
    return found == nullptr ? "" : found->addresses.at(0);
  }
  /// As the control loop does, until it holds.
  bool TickUntil(const std::function<bool()>& holds) {
    return Within([this, &holds] {
      server_->Tick();
      return holds();
    });
  }
  /// When so many sessions are left, two turns later: what ended in one turn is then published.
  ProcessStatus StatusWith(int64_t active) {
    EXPECT_TRUE(TickUntil([this, active] { return server_->Status().active == active; }))
        << server_->Status().active << " sessions, not " << active;
    server_->Status();
    return server_->Status();
  }
  bool AreForgotten() {
    return TickUntil([this] { return !server_->NeedsTick(); });
  }

 private:
  LetterBackend a_{'a'};
  LetterBackend b_{'b'};
  LetterBackend c_{'c'};
  std::unique_ptr<Server> server_;
};

}  // namespace l4lb
