// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace l4lb {
namespace {

using ::testing::HasSubstr;

/// "" when the text is taken, else message and hint.
std::string Complaint(const Key& key, absl::string_view text) {
  Value value;
  Problem problem;
  if (ParseValue(key, text, &value, &problem)) return "";
  return problem.hint.empty() ? problem.message : problem.message + " | " + problem.hint;
}

Value Parsed(const Key& key, absl::string_view text) {
  Value value;
  Problem problem;
  EXPECT_TRUE(ParseValue(key, text, &value, &problem)) << text << ": " << problem.message;
  return value;
}

TEST(ValueTest, Bool) {
  const Key key = {.path = "k", .type = KeyType::kBool};
  EXPECT_EQ(Parsed(key, "true"), Value(true));
  EXPECT_EQ(FormatValue(key, false), "false");
  EXPECT_EQ(Complaint(key, "yes"), "\"yes\" is neither true nor false");
}

TEST(ValueTest, Integer) {
  const Key key = {.path = "k", .type = KeyType::kInteger, .max = 1000};
  EXPECT_EQ(Parsed(key, "1000"), Value(int64_t{1000}));
  EXPECT_EQ(Complaint(key, "1001"), "1001 is out of range: it must be 0 to 1000");
  EXPECT_EQ(Complaint(key, "-1"), "-1 is out of range: it must be 0 to 1000");
  EXPECT_EQ(Complaint(key, "1e3"), "\"1e3\" is not a whole number");
}

TEST(ValueTest, IntegerWithAWord) {
  const Key key = {
      .path = "k", .type = KeyType::kInteger, .min = 1, .max = 9, .word = "auto", .word_value = 0};
  EXPECT_EQ(Parsed(key, "auto"), Value(int64_t{0}));
  EXPECT_EQ(FormatValue(key, int64_t{0}), "auto");
  EXPECT_EQ(FormatValue(key, int64_t{7}), "7");
  EXPECT_EQ(Complaint(key, "0"), "0 is out of range: it must be auto or 1 to 9");
  EXPECT_EQ(Complaint(key, "Auto"),
            "\"Auto\" is not a whole number and not \"auto\" | did you mean \"auto\"?");
}

TEST(ValueTest, Duration) {
  const Key key = {.path = "k", .type = KeyType::kDuration, .min = 1, .max = 3'600'000};
  EXPECT_EQ(Parsed(key, "1m30s"), Value(absl::Seconds(90)));
  EXPECT_EQ(Complaint(key, "5"), "\"5\" has no unit | did you mean \"5s\"?");
  EXPECT_EQ(Complaint(key, "99999"),
            "\"99999\" has no unit | a duration is written like 250ms, 5s or 1h30m")
      << "99999s would be out of range";
  EXPECT_EQ(Complaint(key, "0"), "0 is out of range: it must be 1ms to 1h");
  EXPECT_EQ(Complaint(key, "99999999d"), "99999999d is out of range: it must be 1ms to 1h");
  EXPECT_EQ(Complaint(key, "1e3"),
            "\"1e3\" is not a duration | a duration is written like 250ms, 5s or 1h30m");
}

TEST(ValueTest, Steps) {
  const Key key = {
      .path = "k", .type = KeyType::kDuration, .min = 1000, .max = 60'000, .step = 1000};
  EXPECT_EQ(Complaint(key, "2s"), "");
  EXPECT_EQ(Complaint(key, "1500ms"), "1500ms is not a multiple of 1s");
}

TEST(ValueTest, Size) {
  const Key key = {.path = "k", .type = KeyType::kSize, .min = 1024, .max = 1 << 20};
  EXPECT_EQ(Parsed(key, "16KiB"), Value(int64_t{16384}));
  EXPECT_EQ(FormatValue(key, int64_t{16384}), "16KiB");
  EXPECT_EQ(Complaint(key, "16kb"), "\"16kb\" is not a size | did you mean \"16KiB\"?");
  EXPECT_EQ(Complaint(key, "2MiB"), "2MiB is out of range: it must be 1KiB to 1MiB");
}

TEST(ValueTest, Percentage) {
  const Key key = {.path = "k", .type = KeyType::kPercentage, .max = 90};
  EXPECT_EQ(Parsed(key, "10%"), Value(int64_t{10}));
  EXPECT_EQ(FormatValue(key, int64_t{10}), "10%");
  EXPECT_EQ(Complaint(key, "91%"), "91% is out of range: it must be 0% to 90%");
  EXPECT_EQ(Complaint(key, "10"), "\"10\" is not a percentage | did you mean \"10%\"?");
  EXPECT_EQ(Complaint(key, "0.5"),
            "\"0.5\" is not a percentage | a percentage is written like 10%");
}

TEST(ValueTest, Sessions) {
  const Key key = {.path = "k", .type = KeyType::kSessions, .min = 1, .max = 60'000};
  for (absl::string_view text : {"keep", "close", "{drain: 30s}"}) {
    EXPECT_EQ(FormatValue(key, Parsed(key, text)), text);
  }
  EXPECT_EQ(Parsed(key, "keep"), Value(absl::InfiniteDuration()));
  EXPECT_EQ(Parsed(key, "close"), Value(absl::ZeroDuration()));
  EXPECT_EQ(Parsed(key, "{drain: 30s}"), Value(absl::Seconds(30)));
  EXPECT_EQ(Complaint(key, "30s"),
            "\"30s\" is unknown; allowed: keep, close, or {drain: DURATION} | did you mean "
            "{drain: 30s}?");
  EXPECT_EQ(Complaint(key, "clos"),
            "\"clos\" is unknown; allowed: keep, close, or {drain: DURATION} | did you mean "
            "\"close\"?");
}

TEST(ValueTest, Enum) {
  const Key key = {.path = "k", .type = KeyType::kEnum, .choices = {"auto", "epoll"}};
  EXPECT_EQ(Parsed(key, "epoll"), Value(int64_t{1}));
  EXPECT_EQ(FormatValue(key, int64_t{1}), "epoll");
  EXPECT_EQ(Complaint(key, "epol"),
            "\"epol\" is unknown; allowed: auto, epoll | did you mean \"epoll\"?");
  EXPECT_EQ(Complaint(key, "io_uring"), "\"io_uring\" is unknown; allowed: auto, epoll");
}

TEST(ValueTest, Text) {
  const Key name = {.path = "k", .type = KeyType::kName, .max = 8};
  EXPECT_EQ(Parsed(name, "\u00fc\u00fc"), Value(std::string("\u00fc\u00fc")));
  EXPECT_EQ(Complaint(name, ""), "is empty");
  EXPECT_EQ(Complaint(name, "123456789"), "has 9 bytes; at most 8 may be");
  EXPECT_EQ(Complaint(name, "a\nb"), "\"a?b\" has characters that cannot be printed");
  const Key path = {.path = "k", .type = KeyType::kPath, .max = 8};
  EXPECT_EQ(Complaint(path, ""), "");
}

TEST(ValueTest, Addresses) {
  const Key bind = {.path = "k", .type = KeyType::kBindAddresses};
  const Key backend = {.path = "k", .type = KeyType::kBackendAddress};
  EXPECT_EQ(Parsed(bind, ":0"), Value(std::string(":0")));
  EXPECT_EQ(Parsed(backend, "[::1]:9001"), Value(std::string("[::1]:9001")));
  EXPECT_THAT(Complaint(backend, "::1:9001"), HasSubstr("[::1]:9001"));
  EXPECT_THAT(Complaint(backend, "10.0.0.1:0"), HasSubstr("port must be 1 to 65535"));
  EXPECT_THAT(Complaint(backend, ":9001"), HasSubstr("did you mean \"127.0.0.1:9001\"?"));
  EXPECT_THAT(Complaint(bind, "localhost:9001"), HasSubstr("host names are not resolved"));
  EXPECT_THAT(Complaint(bind, "10.0.0.1:65536"), HasSubstr("65536"));
  EXPECT_EQ(Complaint(bind, ""), "is empty");
}

TEST(ValueTest, HostNames) {
  const Key backend = {.path = "k", .type = KeyType::kBackendAddress};
  EXPECT_EQ(Parsed(backend, "db1.example:5432"), Value(std::string("db1.example:5432")));
  EXPECT_EQ(Complaint(backend, "localhost:6379"), "");
  EXPECT_EQ(Complaint(backend, "localhost:0"),
            "\"localhost:0\": a backend's port must be 1 to 65535");
  EXPECT_EQ(Complaint(backend, "300.0.0.1:80"), "'300.0.0.1' is not an IPv4 address");
  EXPECT_THAT(Complaint(backend, "my_db:80"), HasSubstr("host name 'my_db' has '_'"));
}

TEST(ValueTest, UnixSockets) {
  for (const KeyType type : {KeyType::kBackendAddress, KeyType::kBindAddresses}) {
    const Key key = {.path = "k", .type = type};
    const std::string longest = "unix:/" + std::string(106, 'p');
    EXPECT_EQ(Parsed(key, longest), Value(longest));
    EXPECT_EQ(Complaint(key, longest + "p"),
              "the path of a UNIX socket has at most 107 bytes, this one 108");
    EXPECT_EQ(Complaint(key, "unix:run/x"), "a UNIX socket needs an absolute path: unix:/path");
    EXPECT_EQ(Complaint(key, "unix:"), "a UNIX socket needs an absolute path: unix:/path");
  }
}

TEST(ValueTest, SourceAddresses) {
  const Key source = {.path = "k", .type = KeyType::kSourceAddresses};
  EXPECT_EQ(Parsed(source, "10.0.0.8"), Value(std::string("10.0.0.8")));
  EXPECT_EQ(Parsed(source, "2001:db8::8"), Value(std::string("2001:db8::8")));
  EXPECT_EQ(Complaint(source, "10.0.0.8:80"), "'10.0.0.8:80' has a port: write the address alone");
  EXPECT_EQ(Complaint(source, "0.0.0.0"),
            "\"0.0.0.0\" is no address to connect from | leave it out: then the kernel picks");
  EXPECT_THAT(Complaint(source, "::"), HasSubstr("no address to connect from"));
  EXPECT_THAT(Complaint(source, "eth0"), HasSubstr("'eth0' is not a numeric address"));
  EXPECT_EQ(Complaint(source, ""), "is empty");
  const std::vector<std::string> both = {"10.0.0.8", "::1"};
  EXPECT_EQ(FormatValue(source, both), "[10.0.0.8, ::1]");
}

TEST(ValueTest, Users) {
  const Key user = {.path = "k", .type = KeyType::kUser, .max = 8};
  EXPECT_EQ(Parsed(user, ""), Value(std::string()));
  EXPECT_EQ(Parsed(user, "l4lb"), Value(std::string("l4lb")));
  EXPECT_EQ(Complaint(user, "123456789"), "has 9 bytes; at most 8 may be");
  EXPECT_EQ(Complaint(user, "a\nb"), "\"a?b\" has characters that cannot be printed");
}

TEST(ValueTest, MappingsHaveNoValue) {
  EXPECT_EQ(Complaint({.path = "k", .type = KeyType::kMapping}, "x"), "is not a single value");
}

}  // namespace
}  // namespace l4lb
