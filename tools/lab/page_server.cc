// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/page_server.h"

#include <microhttpd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "l4lb/net/listen.h"
#include "tools/kit/command_line.h"
#include "tools/kit/json_dump.h"
#include "tools/lab/flags.h"
#include "tools/lab/page.h"
#include "tools/lab/survey.h"

namespace l4lb::lab {
namespace {

constexpr double kMostRequests = 5e6;  // A second or two.
constexpr int64_t kMostSeeds = 100;
constexpr double kMostItems = 2e7;  // That all runs keep together: some 200 MB.
constexpr unsigned kThreads = 2;
constexpr unsigned kMostClients = 32;
constexpr unsigned kPatienceSeconds = 30;
constexpr size_t kMostMemory = 32'768;  // Of the head of a request.

// The flags of `simulate` that describe what is simulated.
constexpr std::string_view kAllowed[] = {
    "scene",   "backends", "utilisation", "slow",        "factor",        "mean",
    "service", "shape",    "balancers",   "limit",       "queue_per",     "clients",
    "joining", "join_at",  "slow_start",  "connections", "requests_each", "duration",
    "warmup",  "policies", "seeds",       "seed"};

bool IsAllowed(const std::string& setting) {
  const std::string_view name = std::string_view(setting).substr(0, setting.find('='));
  return std::find(std::begin(kAllowed), std::end(kAllowed), name) != std::end(kAllowed);
}

PageServer::Answer Wrong(int status, const std::string& what) {
  return {.status = status, .body = what};
}

// No name that somebody else's page could have made resolve to this machine.
bool IsOurName(std::string_view host) {
  const size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == host.npos;
  const std::string_view name = has_port ? host.substr(0, colon) : host;
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

// Another site's page may not make this machine work.  (Fetch Metadata, W3C; not every browser says
// where it is.)
bool IsForeign(MHD_Connection* connection) {
  const char* site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
  if (site != nullptr)
    return std::string_view(site) != "same-origin" && std::string_view(site) != "none";
  const char* origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
  if (origin == nullptr) return false;
  absl::string_view host = origin;
  return !absl::ConsumePrefix(&host, "http://") || !IsOurName(std::string(host));
}

MHD_Result Collect(void* out, MHD_ValueKind, const char* key, const char* value) {
  static_cast<std::vector<std::string>*>(out)->push_back(
      absl::StrCat(key, "=", value != nullptr ? value : ""));
  return MHD_YES;
}

MHD_Result Send(MHD_Connection* connection, const PageServer::Answer& answer) {
  MHD_Response* response = MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  MHD_add_response_header(response, "Content-Type", answer.type.c_str());
  MHD_add_response_header(response, "Cache-Control", "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "X-Frame-Options", "DENY");
  const MHD_Result result =
      MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return result;
}

}  // namespace

/// What libmicrohttpd calls.
struct PageCallbacks {
  static PageServer::Answer AnswerTo(const PageServer& server, MHD_Connection* connection,
                                     std::string_view url, std::string_view method) {
    const char* host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (host == nullptr || !IsOurName(host)) {
      return Wrong(403, "Host is not of this machine: open the page as http://127.0.0.1:PORT/");
    }
    if (method != "GET" && method != "HEAD") return Wrong(405, "there is only GET");
    if (url == "/") return {.type = "text/html; charset=utf-8", .body = server.page_};
    if (url != "/simulate") return Wrong(404, "there are / and /simulate");
    if (IsForeign(connection)) return Wrong(403, "asked for by the page of another site");
    std::vector<std::string> query;
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, Collect, &query);
    return PageServer::Simulate(query);
  }

  static MHD_Result OnRequest(void* server, MHD_Connection* connection, const char* url,
                              const char* method, const char*, const char*, size_t* size, void**) {
    if (*size > 0) return MHD_NO;  // Nothing takes a body.
    return Send(connection,
                AnswerTo(*static_cast<const PageServer*>(server), connection, url, method));
  }
};

PageServer::PageServer() : page_(ServedPageText()) {}

absl::StatusOr<std::unique_ptr<PageServer>> PageServer::Start(const SocketAddress& address) {
  absl::StatusOr<UniqueFd> fd = Listen(address, {});
  if (!fd.ok()) return fd.status();
  auto server = std::unique_ptr<PageServer>(new PageServer);
  server->address_ = LocalAddress(fd->get());
  server->daemon_ =
      MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL, 0, nullptr, nullptr,
                       PageCallbacks::OnRequest, server.get(), MHD_OPTION_LISTEN_SOCKET, fd->get(),
                       MHD_OPTION_THREAD_POOL_SIZE, kThreads, MHD_OPTION_CONNECTION_LIMIT,
                       kMostClients, MHD_OPTION_CONNECTION_TIMEOUT, kPatienceSeconds,
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMostMemory, MHD_OPTION_END);
  if (server->daemon_ == nullptr) return absl::InternalError("the page cannot be served");
  fd->Release();  // The daemon closes it.
  return server;
}

PageServer::~PageServer() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

PageServer::Answer PageServer::Simulate(const std::vector<std::string>& query) {
  std::vector<std::string> arguments = {"simulate"};
  for (const std::string& setting : query) {
    if (!IsAllowed(setting)) return Wrong(400, absl::StrCat("there is no setting ", setting));
    arguments.push_back(absl::StrCat("--", setting));
  }
  CommandLine line = ParseCommandLine(arguments);
  if (line.ending.has_value()) {
    absl::string_view text = absl::StripSuffix(line.ending->text, "\n");
    absl::ConsumePrefix(&text, absl::StrCat(kProgram, ": "));
    return Wrong(400, std::string(text));
  }
  auto& options = std::get<SimulateOptions>(line.options);
  const World& world = options.world;
  const double seconds = static_cast<double>(world.warmup_ms + world.duration_ms) / 1'000;
  const double requests =
      world.rate() * seconds * options.effort.seeds * static_cast<double>(options.policies.size());
  if (requests > kMostRequests) {
    return Wrong(400,
                 absl::StrFormat("%.0f requests are too many for a page, which takes %.0f: "
                                 "fewer runs, policies or backends, or on the command line:\n"
                                 "%s",
                                 requests, kMostRequests, kit::CommandText(kProgram, arguments)));
  }
  const double runs = options.effort.seeds * static_cast<double>(options.policies.size());
  const double items =
      world.all_backends() * (kPageSamples + static_cast<double>(world.balancers)) +
      world.connections;
  if (options.effort.seeds > kMostSeeds || runs * items > kMostItems) {
    return Wrong(400, absl::StrCat("too much for a page: fewer runs (at most ", kMostSeeds,
                                   "), policies, backends, balancers or connections"));
  }
  options.output.command = kit::CommandText(kProgram, arguments);
  options.effort.samples = kPageSamples;
  const auto begin = std::chrono::steady_clock::now();
  const Findings findings = {.rows =
                                 RunAll(world, options.policies, options.effort, [](int, int) {})};
  auto data = PageData(options, findings);
  data["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {.type = "application/json", .body = kit::Dump(data)};
}

}  // namespace l4lb::lab
