// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/tcp_balancer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "glog/logging.h"
#include "l4lb/config/load.h"
#include "tools/lab/tcp_backends.h"
#include "tools/lab/world_flags.h"

namespace l4lb::lab {
namespace {

constexpr char kPool[] = "lab";

std::string NameOfBackend(int backend) { return absl::StrCat("backend", backend + 1); }

// Every connection is a client of its own.
std::string HashKeyText(PolicyKind policy) {
  const bool hashes = policy == PolicyKind::kMaglev || policy == PolicyKind::kRing;
  return hashes ? "    hash_key: source_ip_port\n" : "";
}

std::string ChecksText(Checks checks) {
  if (checks == Checks::kNone) return "";
  const char asks = checks == Checks::kBackend ? kCheckBackend : kCheckDatabase;
  std::string text = absl::StrFormat(
      "    health_check: {type: send_expect, send: \"%c\", expect: \"%s\", interval: 200ms, "
      "timeout: 150ms, rise: 2, fall: 2}\n",
      asks, kCheckAnswer);
  if (checks == Checks::kDatabaseFailOpen) absl::StrAppend(&text, "    fail_open: {below: 0.5}\n");
  return text;
}

}  // namespace

std::string TcpBalancer::ConfigText(const World& world, const Setup& setup,
                                    const std::vector<std::string>& addresses) {
  std::string text = absl::StrFormat(
      "workers: 1\n"
      "engine: %s\n"
      "admin: {bind: \"off\"}\n"
      "listeners:\n"
      "  - {name: lab, bind: [\"127.0.0.1:0\"], pool: %s}\n"
      "pools:\n"
      "  - name: %s\n"
      "    policy: %s\n"
      "    queue: {limit: 1000000, timeout: 1h, per: %s}\n"
      "%s%s"
      "    backends:\n",
      setup.engine, kPool, kPool, std::string(Name(setup.policy)), NameOf(world.queue_per),
      HashKeyText(setup.policy), ChecksText(setup.checks));
  for (int i = 0; i < world.backends; ++i) {
    absl::StrAppendFormat(&text, "      - {name: %s, address: \"%s\", max_connections: %d}\n",
                          NameOfBackend(i), addresses[static_cast<size_t>(i)], world.limit);
  }
  return text;
}

absl::StatusOr<std::unique_ptr<TcpBalancer>> TcpBalancer::Start(const std::string& config_text) {
  const absl::StatusOr<Config> config = ParseConfig("lab", config_text);
  if (!config.ok()) return config.status();
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(*config);
  if (!server.ok()) return server.status();
  return std::unique_ptr<TcpBalancer>(new TcpBalancer(*std::move(server)));
}

SocketAddress TcpBalancer::address() const {
  SocketAddress address;
  std::string error;
  CHECK(SocketAddress::Parse(server_->FirstAddress(), &address, &error)) << error;
  return address;
}

absl::Status TcpBalancer::Add(const World& world, int backend, const std::string& address) {
  return server_->AddBackend(
      kPool, {.name = NameOfBackend(backend), .address = address, .max_connections = world.limit});
}

void TcpBalancer::Tick() {
  server_->HandleNews();
  server_->Tick();
}

}  // namespace l4lb::lab
