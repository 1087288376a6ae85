// SPDX-License-Identifier: Apache-2.0
//
// With the proxies that this machine has, the backends of the tool, and one connection.
#include "tools/skew/layer7.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/temporary_folder.h"
#include "tools/kit/dial.h"
#include "tools/kit/event_loop.h"
#include "tools/skew/backends.h"
#include "tools/skew/http2.h"

namespace l4lb::skew {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Pair;

constexpr int64_t kSoonNs = 20 * kit::kNsPerSecond;

std::string WriteProgram(const TemporaryFolder& folder, const std::string& name,
                         const std::string& script) {
  const std::string path = folder.Write(name, "#!/bin/sh\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(FindLayer7, TakesWhatIsThere) {
  const TemporaryFolder folder;
  const std::vector<std::string> folders = {folder.path("none"), folder.path("")};
  EXPECT_EQ(FindLayer7(Layer7Choice::kAuto, folders)->has_value(), false);
  WriteProgram(folder, "nghttpx", "echo nghttpx nghttp2/1.52.0");
  EXPECT_EQ((*FindLayer7(Layer7Choice::kAuto, folders))->version_text, "nghttpx 1.52.0");
  WriteProgram(folder, "haproxy", "echo 'HAProxy version 2.6.12-1+deb12u4 2026/10/17 - there'");
  EXPECT_EQ((*FindLayer7(Layer7Choice::kAuto, folders))->version_text, "HAProxy 2.6.12");
  EXPECT_EQ((*FindLayer7(Layer7Choice::kNghttpx, folders))->kind, Layer7Kind::kNghttpx);
  EXPECT_EQ(FindLayer7(Layer7Choice::kNone, folders)->has_value(), false);
}

TEST(FindLayer7, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  const auto message = [&](Layer7Choice choice) {
    return std::string(FindLayer7(choice, {folder.path("")}).status().message());
  };
  EXPECT_THAT(message(Layer7Choice::kHaproxy), HasSubstr("install the package haproxy,"));
  EXPECT_THAT(message(Layer7Choice::kNghttpx), HasSubstr("install the package nghttp2-proxy,"));
  WriteProgram(folder, "haproxy", "echo 1.2.3; echo no library >&2; exit 127");
  EXPECT_THAT(message(Layer7Choice::kHaproxy), HasSubstr("exit status 127: 1.2.3; no library"));
}

TEST(StartLayer7, ShowsTheWordsOfAProgramThatEndsAtOnce) {
  const TemporaryFolder folder;
  const std::string path = WriteProgram(folder, "proxy", "echo sorry, not today >&2; exit 1");
  for (const Layer7Kind kind : {Layer7Kind::kHaproxy, Layer7Kind::kNghttpx}) {
    const auto middle = StartLayer7({kind, path, ""}, {{"a", kit::LoopbackAddresses(1)[0]}}, {0});
    EXPECT_EQ(std::string(middle.status().message()),
              path + " ended before it was ready, exit status 1: sorry, not today");
  }
}

// One connection, and one request at a time.
class Asker final : public Http2Connection {
 public:
  explicit Asker(UniqueFd fd) : Http2Connection(std::move(fd), Role::kClient) {
    EXPECT_EQ(Start(loop_), 0);
  }

  // How many of the next requests each backend answers.
  std::map<std::string, int> Ask(int count) {
    answers_.clear();
    const int64_t end_ns = kit::NowNs() + kSoonNs;
    while (!open() && kit::NowNs() < end_ns) loop_.Turn(end_ns);
    for (int left = count; kit::NowNs() < end_ns; loop_.Turn(end_ns)) {
      if (stream_ > 0) continue;
      if (left-- == 0) break;
      stream_ = Submit();
      Flush();
    }
    EXPECT_FALSE(closed());
    return answers_;
  }

 private:
  void OnAnswer(int32_t stream, std::string_view backend, bool good) final {
    if (stream == stream_) Take(good ? std::string(backend) : "refused");
  }
  void OnLost(int32_t stream) final {
    if (stream == stream_) Take("lost");
  }
  void OnClosed() final { Take("closed"); }
  void Take(const std::string& answer) {
    ++answers_[answer];
    stream_ = 0;
  }

  kit::EventLoop loop_;
  int32_t stream_ = 0;  // That an answer is awaited on; 0: none.
  std::map<std::string, int> answers_;
};

class Proxy : public testing::TestWithParam<Layer7Choice> {
 protected:
  void SetUp() override {
    const auto program = FindLayer7(GetParam());
    if (absl::IsNotFound(program.status())) GTEST_SKIP() << program.status().message();
    ASSERT_TRUE(program.ok()) << program.status();
    program_ = **program;
    auto backends = Backends::Start(options_);
    ASSERT_TRUE(backends.ok()) << backends.status();
    backends_ = *std::move(backends);
    backends_->Begin(kit::NowNs());
    auto middle = StartLayer7(program_, backends_->endpoints(), {0, 1});
    ASSERT_TRUE(middle.ok()) << middle.status();
    middle_ = *std::move(middle);
    ASSERT_EQ(middle_->targets().size(), 1U);
    target_ = middle_->targets()[0];
  }

  UniqueFd Dial() const {
    UniqueFd fd;
    EXPECT_EQ(kit::Dial(target_, nullptr, &fd), 0);
    return fd;
  }

  const Options options_ = {.backends = 2, .added = 1, .service_ms = 1};
  Layer7Program program_;
  SocketAddress target_;
  std::unique_ptr<Backends> backends_;
  std::unique_ptr<Middle> middle_;
};

INSTANTIATE_TEST_SUITE_P(Layer7, Proxy,
                         testing::Values(Layer7Choice::kHaproxy, Layer7Choice::kNghttpx),
                         [](const auto& choice) {
                           return choice.param == Layer7Choice::kHaproxy ? "haproxy" : "nghttpx";
                         });

TEST_P(Proxy, BalancesTheRequestsOfOneConnectionOverThoseInUse) {
  Asker asker(Dial());
  EXPECT_THAT(asker.Ask(20), ElementsAre(Pair("a", Ge(8)), Pair("b", Ge(8))));
  ASSERT_TRUE(middle_->Add(2).ok());
  const int64_t end_ns = kit::NowNs() + kSoonNs;
  while (asker.Ask(3).count("c") == 0) ASSERT_LT(kit::NowNs(), end_ns);
  EXPECT_THAT(asker.Ask(30), ElementsAre(Pair("a", Ge(8)), Pair("b", Ge(8)), Pair("c", Ge(8))));
  ASSERT_TRUE(middle_->Remove(0).ok());
  while (asker.Ask(6).count("a") != 0) ASSERT_LT(kit::NowNs(), end_ns);
  EXPECT_THAT(asker.Ask(30), ElementsAre(Pair("b", Ge(13)), Pair("c", Ge(13))));
  ASSERT_TRUE(middle_->Add(0).ok());
  while (asker.Ask(3).count("a") == 0) ASSERT_LT(kit::NowNs(), end_ns);
}

TEST_P(Proxy, IsGoneWithItsObject) {
  middle_.reset();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(fd.get(), target_.get(), target_.size()), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
}

TEST_P(Proxy, ThatHasDiedIsAnError) {
  // Its only child is the proxy.
  pid_t pid = 0;
  std::ifstream("/proc/thread-self/children") >> pid;
  ASSERT_GT(pid, 0);
  kill(pid, SIGKILL);
  siginfo_t end;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOWAIT), 0);
  EXPECT_THAT(std::string(middle_->Add(2).message()),
              HasSubstr(program_.path + " ended, signal 9"));
}

}  // namespace
}  // namespace l4lb::skew
