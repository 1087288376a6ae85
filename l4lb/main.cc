// SPDX-License-Identifier: Apache-2.0
//
// l4lb: command line -> Config -> Server -> exit status (0 done, 1 failed, 2 wrong flags or
// configuration).
#include <sys/resource.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "glog/logging.h"
#include "l4lb/admin/admin_server.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/config/load.h"
#include "l4lb/server/control_desk.h"
#include "l4lb/server/control_loop.h"
#include "l4lb/server/demo.h"
#include "l4lb/server/dump_tables.h"
#include "l4lb/server/limits.h"
#include "l4lb/server/server.h"
#include "l4lb/server/version.h"

namespace l4lb {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kAdminNice = 10;

int Fail(int status, const absl::Status& why) {
  std::cerr << why.message() << std::endl;
  return status;
}

// A port that is taken must not stop a newcomer: the demo takes another and says so.
absl::StatusOr<std::unique_ptr<Server>> StartDemo(Config config) {
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(config);
  if (server.ok() || !absl::IsAlreadyExists(server.status())) return server;
  std::cout << server.status().message() << "; taking another port\n";
  for (Config::Listener& listener : config.listeners) listener.bind = {"127.0.0.1:0"};
  return Server::Start(config);
}

// Null: off.
absl::StatusOr<std::unique_ptr<AdminServer>> StartAdmin(const Config& config, Control& control) {
  if (config.admin.bind == kAdminOff) return nullptr;
  AdminOptions options = AdminOptionsOf(config.admin);
  // Two thirds for connections, a third for those that are being closed.
  const auto fds = static_cast<size_t>(FdsOfAdmin(LimitsFor(config).open_files));
  options.limits.places = fds * 2 / 3;
  options.limits.ending = fds / 3;
  // Its threads inherit the priority of the one that makes them: lists of thousands of sessions
  // must not take the cores from those who move bytes.
  absl::StatusOr<std::unique_ptr<AdminServer>> admin;
  std::thread([&] {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kAdminNice);
    admin = AdminServer::Start(options, control);
  }).join();
  return admin;
}

// Its sockets and tokens follow the configuration.
void ReadTokens(AdminServer* admin, const Config& config) {
  if (admin == nullptr) return;
  const absl::Status status = admin->ReadTokens(config.admin);
  if (!status.ok()) LOG(ERROR) << status.message() << "; the old tokens stay";
}

int Serve(const CommandLine& command, const Config& config) {
  absl::StatusOr<std::unique_ptr<Server>> server =
      command.demo ? StartDemo(config) : Server::Start(config);
  if (!server.ok()) return Fail(kFailed, server.status());
  std::unique_ptr<AdminServer> admin;
  ControlLoop loop(**server, ConfigSource(command.source == "flags" ? "" : command.source),
                   [&admin](const Config& next) { ReadTokens(admin.get(), next); });
  ControlDesk desk(loop);
  absl::StatusOr<std::unique_ptr<AdminServer>> started = StartAdmin(config, desk);
  if (!started.ok()) return Fail(kFailed, started.status());
  admin = *std::move(started);
  std::cout << (*server)->Banner();
  if (admin != nullptr) std::cout << "admin       " << admin->address() << "\n";
  if (command.demo) std::cout << DemoHints((*server)->FirstAddress());
  std::cout << "ready" << std::endl;
  loop.Run();
  admin.reset();  // Its threads ask the desk and the loop.
  return 0;
}

int Run(const CommandLine& command) {
  if (!command.demo) return Serve(command, command.config);
  absl::StatusOr<std::unique_ptr<Demo>> demo = Demo::Start();
  if (!demo.ok()) return Fail(kFailed, demo.status());
  Config config = command.config;
  (*demo)->Configure(config);
  return Serve(command, config);
}

int Check(const CommandLine& command) {
  std::cout << Summary(command.config);
  if (command.dump_table.empty()) return 0;
  const absl::Status status = DumpTables(command.config, command.dump_table);
  return status.ok() ? 0 : Fail(kFailed, status);
}

int Main(int argc, char** argv) {
  const absl::StatusOr<CommandLine> command = ReadCommandLine(argc, argv);
  if (!command.ok()) return Fail(kWrongUsage, command.status());
  switch (command->action) {
    case CommandLine::Action::kHelp:
    case CommandLine::Action::kPrintConfig:
      std::cout << command->text;
      return 0;
    case CommandLine::Action::kVersion:
      std::cout << "l4lb " << kVersion << "\n";
      return 0;
    case CommandLine::Action::kCheck:
      return Check(*command);
    case CommandLine::Action::kRun:
      break;
  }
  BlockSignals();
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = static_cast<int>(command->config.log_level);
  google::InitGoogleLogging(argv[0]);
  return Run(*command);
}

}  // namespace
}  // namespace l4lb

int main(int argc, char** argv) { return l4lb::Main(argc, argv); }
