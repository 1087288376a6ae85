// SPDX-License-Identifier: Apache-2.0
//
// Checks that fail, and what they say.
#include <sys/socket.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "l4lb/health/check.h"
#include "l4lb/net/unique_fd.h"
#include "tests/health/check_fixture.h"

namespace l4lb {
namespace {

class FailedCheckTest : public CheckTest {};

TEST_P(FailedCheckTest, Refused) {
  address_ = far_ends().RefusedAddress();
  Begin();
  ASSERT_TRUE(RunUntilOver());
  ExpectFailed("connection refused");
}

TEST_P(FailedCheckTest, NobodyAnswers) {
  address_ = far_ends().SilentAddress();
  plan_.timeout_ms = short_ms();
  Begin();
  ASSERT_TRUE(RunUntilOver());
  ExpectFailed(absl::StrCat("no answer within ", short_ms(), " ms"));
}

// It neither answers nor cares for our FIN.
TEST_P(FailedCheckTest, Silent) {
  Listen();
  plan_.timeout_ms = short_ms();
  plan_.expected = ExpectText("+PONG");
  Begin();
  ASSERT_TRUE(RunUntilOver());
  ExpectFailed(absl::StrCat("no \"+PONG\" within ", short_ms(), " ms"));
  ASSERT_TRUE(RunUntilArrived());
  ASSERT_TRUE(RunUntilEnd());
  EXPECT_EQ(backend_->end(), Peer::End::kFin);
}

TEST_P(FailedCheckTest, SilentAfterTheFirstBytes) {
  if (far_ends().real()) GTEST_SKIP() << "whether the bytes are there in time is chance";
  Listen();
  plan_.expected = ExpectText("+PONG");
  plan_.timeout_ms = 2000;
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  backend_->Send("+PO");
  ASSERT_TRUE(RunUntilDecided());
  ExpectFailed("no \"+PONG\" within 2000 ms, but \"+PO\" (3 bytes)");
  ExpectQuietEnd();
}

TEST_P(FailedCheckTest, DoesNotReadWhatIsSent) {
  Listen();
  plan_.timeout_ms = short_ms();
  plan_.send = std::string(16 << 20, 'q');
  Begin();
  ASSERT_TRUE(RunUntilOver());
  ExpectFailed(absl::StrCat("it did not take what was sent within ", short_ms(), " ms"));
}

TEST_P(FailedCheckTest, ClosedWithoutAByte) {
  Listen();
  plan_.expected = ExpectText("+PONG");
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  backend_->Close();
  ASSERT_TRUE(RunUntilOver());
  ExpectFailed("closed without a byte");
}

TEST_P(FailedCheckTest, RubbishAndClosed) {
  Listen();
  plan_.expected = ExpectText("+PONG");
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  backend_->Send("-ERR max number of clients reached\r\n");
  backend_->Finish();
  ExpectQuietEnd();
  ExpectFailed("expected \"+PONG\", got \"-ERR max number of clients reach...\" (36 bytes)");
}

TEST_P(FailedCheckTest, Reset) {
  Listen();
  plan_.expected = ExpectText("+PONG");
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  backend_->Reset();
  ASSERT_TRUE(RunUntilOver());
  ExpectFailed("connection reset");
}

TEST_P(FailedCheckTest, HttpStatusWithABody) {
  Listen();
  plan_.expected = ExpectHttpStatus({{200, 399}});
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  backend_->Send("HTTP/1.1 503 Service Unavailable\r\n\r\n" + std::string(10'000, 'b'));
  ExpectQuietEnd();
  ExpectFailed("HTTP status 503");
}

TEST_P(FailedCheckTest, TenMebibytes) {
  Listen();
  plan_.expected = ExpectText("+PONG");
  const std::string flood(10 << 20, 'f');
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  size_t sent = 0;
  ASSERT_TRUE(RunUntil([&] {
    sent += backend_->Send(std::string_view(flood).substr(sent));
    return over_ > 0;
  }));
  ExpectFailed("expected \"+PONG\", got \"ffffffffffffffffffffffffffffffff...\" (65536 bytes)");
}

// What is dropped after the verdict counts as well.
TEST_P(FailedCheckTest, TenMebibytesAfterTheAnswer) {
  Listen();
  plan_.expected = ExpectText("+PONG");
  const std::string flood = "+PONG" + std::string(10 << 20, 'f');
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  size_t sent = 0;
  ASSERT_TRUE(RunUntil([&] {
    sent += backend_->Send(std::string_view(flood).substr(sent));
    return over_ > 0;
  }));
  ExpectPassed();
}

TEST_P(FailedCheckTest, UnixBacklogFull) {
  if (!far_ends().Has(FarEnds::Family::kUnix)) GTEST_SKIP() << "no UNIX sockets here";
  Listen(FarEnds::Family::kUnix);
  std::vector<UniqueFd> others;  // They fill the backlog.
  do {
    others.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  } while (::connect(others.back().get(), address_.get(), address_.size()) == 0);
  Begin();
  ASSERT_TRUE(RunUntilOver());
  ExpectFailed("its backlog is full");
}

INSTANTIATE_TEST_SUITE_P(Engines, FailedCheckTest, ::testing::ValuesIn(EnginesForChecks()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace l4lb
