// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/demo.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace l4lb {
namespace {

constexpr char kPool[] = "demo";
constexpr int kSlowMs = 300;

MHD_Result Answer(MHD_Connection* connection, const std::string& name, int delay_ms) {
  if (delay_ms > 0) absl::SleepFor(absl::Milliseconds(delay_ms));
  const std::string body = absl::StrCat("I am ", name, "\n");
  MHD_Response* response = MHD_create_response_from_buffer(
      body.size(), const_cast<char*>(body.data()), MHD_RESPMEM_MUST_COPY);
  const MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Demo>> Demo::Start() {
  auto demo = std::unique_ptr<Demo>(new Demo);
  for (const auto& [name, delay_ms] : {std::pair{"a", 0}, {"b", 0}, {"c(slow)", kSlowMs}}) {
    auto backend = std::make_unique<Backend>(Backend{.name = name, .delay_ms = delay_ms});
    sockaddr_in loopback{};
    loopback.sin_family = AF_INET;
    loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const MHD_AccessHandlerCallback answer = [](void* self, MHD_Connection* connection, const char*,
                                                const char*, const char*, const char*, size_t*,
                                                void**) {
      const auto* which = static_cast<const Backend*>(self);
      return Answer(connection, which->name, which->delay_ms);
    };
    // A thread for each connection: the slow one must not make its own clients wait for each other.
    backend->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, 0, nullptr, nullptr,
        answer, backend.get(), MHD_OPTION_SOCK_ADDR, reinterpret_cast<sockaddr*>(&loopback),
        MHD_OPTION_CONNECTION_LIMIT, 256u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
    if (backend->daemon == nullptr) {
      return absl::InternalError("the demo's backends could not be started");
    }
    const auto* info = MHD_get_daemon_info(backend->daemon, MHD_DAEMON_INFO_BIND_PORT);
    backend->address = absl::StrCat("127.0.0.1:", info->port);
    demo->backends_.push_back(std::move(backend));
  }
  return demo;
}

Demo::~Demo() {
  for (auto& backend : backends_) {
    if (backend->daemon != nullptr) MHD_stop_daemon(backend->daemon);
  }
}

void Demo::Configure(Config& config) const {
  Config::Pool pool;
  pool.name = kPool;
  for (const auto& backend : backends_) {
    pool.backends.push_back({.name = backend->name, .address = backend->address});
  }
  for (Config::Listener& listener : config.listeners) listener.pool = kPool;
  config.pools = {pool};
}

std::string DemoHints(const std::string& address) {
  return absl::StrCat("try         for i in 1 2 3 4 5 6; do curl -s ", address,
                      "; done\n            kill -USR1 $(pidof l4lb)      # all counters\n"
                      "stop        Ctrl-C\n");
}

}  // namespace l4lb
