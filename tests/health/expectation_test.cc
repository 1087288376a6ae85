// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/expectation.h"

#include <string>

#include "gtest/gtest.h"

namespace l4lb {
namespace {

using Answer = Expectation::Answer;

std::shared_ptr<const Expectation> Regex(const std::string& regex) {
  auto expectation = ExpectRegex(regex);
  EXPECT_TRUE(expectation.ok()) << expectation.status();
  return *expectation;
}

// Whatever the pieces in which an answer comes: never refuted before, met at the latest at the end.
void ExpectMetInPieces(const Expectation& expectation, const std::string& answer) {
  bool met = false;
  for (size_t size = 1; size <= answer.size(); ++size) {
    const Answer found = expectation.Look(absl::string_view(answer).substr(0, size));
    ASSERT_NE(found, Answer::kRefuted) << size;
    ASSERT_TRUE(found == Answer::kMet || !met) << "met, and then no more, at " << size;
    met = found == Answer::kMet;
  }
  EXPECT_TRUE(met);
}

TEST(ExpectTextTest, Anywhere) {
  const auto pong = ExpectText("+PONG");
  EXPECT_EQ(pong->Look("+PON"), Answer::kMore);
  EXPECT_EQ(pong->Look("-NOAUTH Authentication required.\r\n"), Answer::kMore);
  EXPECT_EQ(pong->Text(), "\"+PONG\"");
  ExpectMetInPieces(*pong, "noise +PON +PONG\r\n");
}

TEST(ExpectTextTest, AnyBytes) {
  const std::string zeros("\0\xff\0\x01", 4);
  const auto expectation = ExpectText(zeros);
  ExpectMetInPieces(*expectation, std::string("\0\0", 2) + zeros + "more");
  EXPECT_EQ(expectation->Text(), "\"\\x00\\xff\\x00\\x01\"");
}

TEST(ExpectTextTest, Mismatch) {
  const auto pong = ExpectText("+PONG");
  EXPECT_EQ(pong->Mismatch("-ERR\r\n"), "expected \"+PONG\", got \"-ERR\\r\\n\" (6 bytes)");
  EXPECT_EQ(pong->Mismatch("x"), "expected \"+PONG\", got \"x\" (1 byte)");
  EXPECT_EQ(pong->Mismatch("-NOAUTH Authentication required.\r\n"),
            "expected \"+PONG\", got \"-NOAUTH Authentication required....\" (34 bytes)");
}

TEST(ExpectRegexTest, Anywhere) {
  const auto role = Regex("role:master\\r\\n|role:primary");
  ExpectMetInPieces(*role, "# Replication\r\nrole:master\r\nconnected_slaves:0");
  EXPECT_EQ(role->Look("role:slave\r\n"), Answer::kMore);
  EXPECT_EQ(role->Text(), "a match of \"role:master\\\\r\\\\n|role:primary\"");
}

TEST(ExpectRegexTest, Bytes) {
  ExpectMetInPieces(*Regex("^\\x00[\\x80-\\xff]+\\x01"), std::string("\0\x80\xfe\x01", 4));
}

TEST(ExpectRegexTest, LinearTime) {
  EXPECT_EQ(Regex("(a*)*(a*)*(a*)*b")->Look(std::string(64 << 10, 'a')), Answer::kMore);
}

TEST(ExpectRegexTest, SaysWhatIsWrong) {
  const auto wrong = ExpectRegex("a(b");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.status().message(), "missing ): a(b");
}

TEST(ExpectHttpStatusTest, Ranges) {
  const auto expectation = ExpectHttpStatus({{200, 299}, {401, 401}});
  EXPECT_EQ(expectation->Text(), "HTTP status 200-299,401");
  for (const int status : {200, 204, 299, 401}) {
    ExpectMetInPieces(*expectation, "HTTP/1.1 " + std::to_string(status) + " What\r\nServer: x");
  }
  for (const int status : {100, 199, 300, 400, 402, 503, 999}) {
    const std::string line = "HTTP/1.0 " + std::to_string(status) + "\r\n";
    EXPECT_EQ(expectation->Look(line), Answer::kRefuted) << status;
    EXPECT_EQ(expectation->Mismatch(line), "HTTP status " + std::to_string(status));
  }
}

TEST(ExpectHttpStatusTest, LinesWithoutAReason) {
  for (const char* end : {"\r\n", "\n", " \r\n", " "}) {
    ExpectMetInPieces(*ExpectHttpStatus({{200, 399}}), std::string("HTTP/1.1 200") + end);
  }
}

TEST(ExpectHttpStatusTest, HostileLines) {
  const auto expectation = ExpectHttpStatus({{0, 999}});
  for (const std::string line :
       {"HTTP/2.0 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "http/1.1 200",
        "HTTP/1.x 200 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 2e1 OK", "HTTP/1.1 +20 OK",
        "\r\nHTTP/1.1 200", "SSH-2.0-OpenSSH_9.2", "HTTP/1.1\t200 OK", "HTTP/1.11 200 OK"}) {
    EXPECT_EQ(expectation->Look(line), Answer::kRefuted) << line;
    EXPECT_EQ(expectation->Mismatch(line).find("expected HTTP status 0-999, got "), 0) << line;
  }
  EXPECT_EQ(expectation->Look(std::string("HTTP/1.1 2\0\0 OK", 15)), Answer::kRefuted);
  EXPECT_EQ(expectation->Look(std::string(64 << 10, '\xb2')), Answer::kRefuted);
  EXPECT_EQ(expectation->Look("HTTP/1.1 200"), Answer::kMore) << "2000 may follow";
  EXPECT_EQ(expectation->Mismatch("HTTP/1.1 20"),
            "expected HTTP status 0-999, got \"HTTP/1.1 20\" (11 bytes)");
}

}  // namespace
}  // namespace l4lb
