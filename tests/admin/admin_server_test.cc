// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/admin_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "glog/logging.h"
#include "tests/admin/fake_control.h"
#include "tests/admin/raw_client.h"
#include "tests/observe/temporary_folder.h"

namespace l4lb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kToken[] = "0123456789abcdef0123";
constexpr char kReadToken[] = "read-only-0123456789";

std::string Bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

class AdminServerTest : public ::testing::Test {
 protected:
  std::unique_ptr<AdminServer> Start(AdminOptions options = {.bind = "127.0.0.1:0"}) {
    absl::StatusOr<std::unique_ptr<AdminServer>> server = AdminServer::Start(options, control_);
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : nullptr;
  }

  std::string Write(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const std::string path = folder_.File(name);
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }

  TemporaryFolder folder_;
  FakeControl control_;
};

TEST_F(AdminServerTest, Answers) {
  const auto server = Start();
  EXPECT_THAT(server->address(), StartsWith("127.0.0.1:"));
  RawClient client(server->address());
  const RawAnswer status = client.Ask("GET", "/v1/status");
  EXPECT_EQ(status.status, 200);
  EXPECT_EQ(status.headers.at("content-type"), "application/json");
  EXPECT_EQ(status.headers.at("cache-control"), "no-store");
  EXPECT_EQ(status.headers.count("access-control-allow-origin"), 0u);
  EXPECT_EQ(nlohmann::json::parse(status.body)["version"], "1.2.3");
  EXPECT_EQ(client.Ask("HEAD", "/v1/status").status, 200) << "on the same connection";
  EXPECT_EQ(client.Ask("GET", "/v1/statuss").status, 404);
  EXPECT_EQ(client.Ask("PUT", "/v1/status").headers.at("allow"), "GET, HEAD");
  EXPECT_EQ(client.Ask("GET", "/healthz").body, "ok\n");
}

TEST_F(AdminServerTest, ChangesNameTheCaller) {
  const auto server = Start();
  RawClient client(server->address());
  EXPECT_EQ(client.Ask("PATCH", "/v1/pools/p/backends/b1", "", "{\"weight\": 5}").status, 204);
  EXPECT_EQ(client.Ask("DELETE", "/v1/sessions/5").status, 204);
  EXPECT_THAT(control_.calls(),
              ElementsAre(HasSubstr("weight=5 by 127.0.0.1:"), HasSubstr("5 by 127.0.0.1:")));
}

TEST_F(AdminServerTest, HealthDoesNotWaitForTheControlThread) {
  const auto server = Start();
  control_.Block();
  std::vector<std::thread> waiting;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 50; ++i) {
    waiting.emplace_back(
        [&] { refused += AskOnce(server->address(), "/v1/status").status == 503; });
  }
  while (control_.blocked() < 2 || refused < 50 - 2 - 32) std::this_thread::yield();
  EXPECT_EQ(AskOnce(server->address(), "/healthz").status, 200);
  EXPECT_EQ(AskOnce(server->address(), "/readyz").status, 200);
  EXPECT_EQ(AskOnce(server->address(), "/v1/workers").status, 503) << "the queue is full";
  control_.Unblock();
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(refused, 50 - 2 - 32);
  EXPECT_EQ(AskOnce(server->address(), "/v1/status").status, 200);
}

TEST_F(AdminServerTest, StopsWhileRequestsWait) {
  auto server = Start();
  control_.Block();
  std::thread client([address = server->address()] { AskOnce(address, "/v1/status"); });
  while (control_.blocked() == 0) std::this_thread::yield();
  std::thread unblock([&] { control_.Unblock(); });
  server.reset();
  client.join();
  unblock.join();
}

TEST_F(AdminServerTest, TheAnswerToDrainStillGoesOut) {
  auto server = Start();
  RawClient client(server->address());
  client.Send("POST /v1/drain HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (control_.calls().empty()) std::this_thread::yield();
  server.reset();
  EXPECT_EQ(client.Read().status, 202);
}

TEST_F(AdminServerTest, HostsAndOriginsOfOthersAreRefused) {
  const auto server = Start();
  RawClient client(server->address());
  for (const char* host : {"localhost", "localhost:9900", "LOCALHOST", "127.0.0.1", "127.9.9.9:1",
                           "[::1]:9900", "l4lb.localhost"}) {
    EXPECT_EQ(client.Ask("GET", "/v1/status", std::string("Host: ") + host + "\r\n").status, 200)
        << host;
  }
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]",
                           "localhost.evil.example", "notlocalhost", "[", ":"}) {
    EXPECT_EQ(client.Ask("GET", "/healthz", std::string("Host: ") + host + "\r\n").status, 421)
        << host;
  }
  const auto post = [&](const std::string& headers) {
    return client.Ask("POST", "/v1/reload", "Host: localhost:9900\r\n" + headers).status;
  };
  EXPECT_EQ(post(""), 200);
  EXPECT_EQ(post("Origin: http://localhost:9900\r\nSec-Fetch-Site: same-origin\r\n"), 200);
  EXPECT_EQ(post("Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(post("Origin: http://localhost:9901\r\n"), 403);
  EXPECT_EQ(post("Origin: null\r\n"), 403);
  EXPECT_EQ(post("Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(control_.calls().size(), 2u);
}

TEST_F(AdminServerTest, Tokens) {
  AdminOptions options = {.bind = "0.0.0.0:0"};
  EXPECT_THAT(AdminServer::Start(options, control_).status().message(), HasSubstr("needs a token"));
  options.token_file = Write("token", std::string(kToken) + "\n");
  options.read_token_file = Write("read", kReadToken);
  const auto server = Start(options);
  RawClient client("127.0.0.1" + server->address().substr(server->address().rfind(':')));
  const std::string host = "Host: lb1.internal\r\n";  // Not known here, and a token proves enough.

  EXPECT_EQ(client.Ask("GET", "/healthz", host).status, 200);
  EXPECT_EQ(client.Ask("GET", "/readyz", host).status, 200);
  const RawAnswer none = client.Ask("GET", "/v1/status", host);
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.headers.at("www-authenticate"), "Bearer realm=\"l4lb\"");
  EXPECT_EQ(client.Ask("GET", "/metrics", host).status, 401);
  EXPECT_EQ(client.Ask("GET", "/no/such/path", host).status, 401) << "strangers learn nothing";
  EXPECT_EQ(client.Ask("GET", "/", host + Bearer("x")).status, 401);
  EXPECT_EQ(client.Ask("GET", "/", host + Bearer(std::string(kToken) + "x")).status, 401);
  EXPECT_EQ(client.Ask("GET", "/", host + "Authorization: Basic Og==\r\n").status, 401);
  EXPECT_EQ(client.Ask("GET", "/v1/status", host + Bearer(kToken)).status, 200);
  EXPECT_EQ(client.Ask("GET", "/v1/status", host + Bearer(kReadToken)).status, 200);
  EXPECT_EQ(client.Ask("POST", "/v1/reload", host).status, 401);
  const RawAnswer read_only = client.Ask("POST", "/v1/reload", host + Bearer(kReadToken));
  EXPECT_EQ(read_only.status, 403);
  EXPECT_THAT(read_only.body, HasSubstr("may only read"));
  EXPECT_TRUE(control_.calls().empty());
  EXPECT_EQ(client.Ask("POST", "/v1/reload", host + Bearer(kToken)).status, 200);
}

TEST_F(AdminServerTest, TokensAreReadAgain) {
  const std::string path = Write("token", kToken);
  const auto server = Start({.bind = "127.0.0.1:0", .token_file = path});
  Write("token", "another-token-0123456789");
  EXPECT_EQ(AskOnce(server->address(), "/v1/status", Bearer(kToken)).status, 200);
  EXPECT_TRUE(server->ReadTokens({.token_file = path}).ok());
  EXPECT_EQ(AskOnce(server->address(), "/v1/status", Bearer(kToken)).status, 401);
  EXPECT_EQ(AskOnce(server->address(), "/", Bearer("another-token-0123456789")).status, 200);
  Write("token", "short");
  EXPECT_THAT(server->ReadTokens({.token_file = path}).message(), HasSubstr("at least 16"));
  EXPECT_EQ(AskOnce(server->address(), "/", Bearer("another-token-0123456789")).status, 200);
}

TEST_F(AdminServerTest, UnixSocket) {
  const std::string path = folder_.File("admin.sock");
  struct stat file;
  for (const auto& [mode, wanted] : {std::pair{"0660", 0660u}, {"600", 0600u}, {"0666", 0666u}}) {
    const auto server = Start({.bind = "unix:" + path, .mode = mode});
    EXPECT_EQ(server->address(), "unix:" + path);
    ASSERT_EQ(::stat(path.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 07777, wanted);
    EXPECT_EQ(AskOnce(server->address(), "/v1/status", "Host: whatever\r\n").status, 200);
    RawClient(server->address()).Ask("POST", "/v1/reload");
    const std::string me = "by unix:uid=" + std::to_string(::getuid());
    EXPECT_THAT(control_.calls().back(), HasSubstr(me));
  }
  EXPECT_NE(::stat(path.c_str(), &file), 0) << "it is removed at the end";
}

TEST_F(AdminServerTest, ALiveSocketIsNotTaken) {
  const AdminOptions options = {.bind = "unix:" + folder_.File("admin.sock")};
  const auto first = Start(options);
  const absl::Status second = AdminServer::Start(options, control_).status();
  EXPECT_TRUE(absl::IsAlreadyExists(second)) << second;
  EXPECT_THAT(second.message(), HasSubstr("admin.sock"));
  EXPECT_EQ(AskOnce(first->address(), "/healthz").status, 200) << "the first one still answers";
}

TEST_F(AdminServerTest, AStaleSocketIsReplaced) {
  const std::string path = folder_.File("admin.sock");
  {
    const absl::StatusOr<AdminListener> killed = ListenForAdmin("unix:" + path, "0600");
    ASSERT_TRUE(killed.ok());  // Closed without removing its file, as a kill -9 does.
  }
  const auto server = Start({.bind = "unix:" + path});
  EXPECT_EQ(AskOnce(server->address(), "/healthz").status, 200);
}

TEST_F(AdminServerTest, ADefaultAddressThatIsTakenIsNoFailure) {
  const auto first = Start({.bind = "auto"});
  const auto second = Start({.bind = "auto"});
  EXPECT_NE(first->address(), second->address());
  EXPECT_EQ(AskOnce(second->address(), "/healthz").status, 200);
  const absl::Status taken = AdminServer::Start({.bind = first->address()}, control_).status();
  EXPECT_TRUE(absl::IsAlreadyExists(taken));
  EXPECT_THAT(taken.message(), HasSubstr("cannot listen on " + first->address()));
}

TEST_F(AdminServerTest, WrongTokenFiles) {
  const auto error = [&](const std::string& path) {
    return std::string(AdminServer::Start({.bind = "127.0.0.1:0", .token_file = path}, control_)
                           .status()
                           .message());
  };
  EXPECT_THAT(error(folder_.File("none")), HasSubstr("no such file"));
  EXPECT_THAT(error(folder_.File("")), HasSubstr("cannot be read"));
  EXPECT_THAT(error(Write("empty", "")), HasSubstr("has 0 characters"));
  EXPECT_THAT(error(Write("two", "0123456789abcdef\n0123456789abcdef\n")), HasSubstr("one line"));
  EXPECT_THAT(error(Write("long", std::string(5000, 'x'))), HasSubstr("too long"));
  EXPECT_THAT(error("/dev/zero"), HasSubstr("token file /dev/zero"));
}

TEST_F(AdminServerTest, EverybodyMayReadTheTokenIsAWarning) {
  ::testing::internal::CaptureStderr();
  const auto server = Start({.bind = "127.0.0.1:0", .token_file = Write("t", kToken, 0644)});
  google::FlushLogFiles(google::INFO);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("everybody on this machine"));
}

}  // namespace
}  // namespace l4lb
