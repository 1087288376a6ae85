// SPDX-License-Identifier: Apache-2.0
//
// Checks that pass, and such as have no result.
#include "l4lb/health/check.h"

#include <memory>
#include <string>

#include "tests/health/check_fixture.h"

namespace l4lb {
namespace {

// --- passed

TEST_P(CheckTest, ConnectionAlone) {
  Listen();
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  ASSERT_TRUE(RunUntilDecided());
  ExpectPassed();
  ExpectQuietEnd();
  EXPECT_EQ(got_, "");
}

TEST_P(CheckTest, BannerAtAccept) {
  Listen();
  for (int i = 0; i < 10; ++i) {
    Begin();
    ASSERT_TRUE(RunUntilArrived());
    ASSERT_EQ(backend_->Send(std::string(50, 'b')), 50u);
    ExpectQuietEnd();
    ExpectPassed();
  }
}

TEST_P(CheckTest, BannerAfterOurFin) {
  Listen();
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  ASSERT_TRUE(RunUntilEnd());
  ASSERT_EQ(backend_->Send(std::string(50, 'b')), 50u);
  ExpectQuietEnd();
  ExpectPassed();
}

TEST_P(CheckTest, QuestionAndAnswer) {
  Listen();
  plan_.send = "PING\r\n";
  plan_.expected = ExpectText("+PONG");
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  ASSERT_TRUE(RunUntil([this] { return (got_ += backend_->Receive()) == "PING\r\n"; }));
  backend_->Send("+PO");
  for (int i = 0; i < 5; ++i) Turn();
  EXPECT_EQ(results_.size(), 0u);
  backend_->Send("NG\r\nand more");
  ASSERT_TRUE(RunUntilDecided());
  ExpectPassed();
  ExpectQuietEnd();
}

TEST_P(CheckTest, SendAlone) {
  Listen();
  plan_.send = std::string(10'000, 'q');
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  ExpectQuietEnd();
  ExpectPassed();
  EXPECT_EQ(got_, plan_.send);
}

TEST_P(CheckTest, AnswerInDrops) {
  Listen();
  const std::string answer = std::string(3000, '.') + "ready";
  plan_.expected = ExpectText("ready");
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  for (size_t i = 0; i < answer.size(); i += 7) {
    backend_->Send(answer.substr(i, 7));
    if (i % 70 == 0) Turn();
  }
  ASSERT_TRUE(RunUntilDecided());
  ExpectPassed();
  ExpectQuietEnd();
}

// The answer and the FIN in one go, as from a server that closes by itself.
TEST_P(CheckTest, AnswerAndFin) {
  Listen();
  plan_.send = "GET / HTTP/1.0\r\n\r\n";
  plan_.expected = ExpectHttpStatus({{200, 399}});
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  backend_->Send("HTTP/1.1 204 No Content\r\n\r\n");
  backend_->Finish();
  ExpectQuietEnd();
  ExpectPassed();
}

TEST_P(CheckTest, UnixSocketWithABanner) {
  if (!far_ends().Has(FarEnds::Family::kUnix)) GTEST_SKIP() << "no UNIX sockets here";
  Listen(FarEnds::Family::kUnix);
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  backend_->Send("hello");
  ExpectQuietEnd();
  ExpectPassed();
}

// --- neither

TEST_P(CheckTest, OurOwnLack) {
  Listen();
  {
    const auto shortage = far_ends().TakeAllFds();
    Begin();
    ASSERT_TRUE(RunUntilOver());
  }
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_[0].kind, CheckResult::Kind::kNotMade);
  EXPECT_EQ(results_[0].reason, "too many open files");
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  ExpectQuietEnd();
  ExpectPassed();
}

TEST_P(CheckTest, GivenUpWhileConnecting) {
  address_ = far_ends().SilentAddress();
  Begin();
  Turn();
  check_->GiveUp();
  ASSERT_TRUE(RunUntilOver());
  EXPECT_TRUE(results_.empty());
}

TEST_P(CheckTest, GivenUpAtOnce) {
  Listen();
  for (int i = 0; i < 5; ++i) {
    Begin();
    for (int turn = 0; turn < i; ++turn) Turn();
    check_->GiveUp();
    check_->GiveUp();
    ASSERT_TRUE(RunUntilOver());
    EXPECT_EQ(over_, 1);
  }
}

TEST_P(CheckTest, GivenUpWhileSending) {
  Listen();
  plan_.send = std::string(16 << 20, 'q');
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  check_->GiveUp();
  ASSERT_TRUE(RunUntilOver());
  EXPECT_TRUE(results_.empty());
}

TEST_P(CheckTest, GivenUpWhileReading) {
  Listen();
  plan_.expected = ExpectText("+PONG");
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  backend_->Send("+PO");
  for (int i = 0; i < 5; ++i) Turn();
  check_->GiveUp();
  backend_->Send("NG");
  ExpectQuietEnd();
  EXPECT_TRUE(results_.empty());
}

TEST_P(CheckTest, GivenUpAtTheEnd) {
  Listen();
  Begin();
  ASSERT_TRUE(RunUntilArrived());
  ASSERT_TRUE(RunUntilEnd());
  check_->GiveUp();
  ASSERT_TRUE(RunUntilOver()) << "it waits for a backend that does not close";
  ExpectPassed();
}

INSTANTIATE_TEST_SUITE_P(Engines, CheckTest, ::testing::ValuesIn(EnginesForChecks()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace l4lb
