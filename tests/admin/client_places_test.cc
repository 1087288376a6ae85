// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/client_places.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <map>
#include <string>

#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

class PlacesTest : public ::testing::Test {
 protected:
  /// A connection that may be ended; returns its fd.
  int Connect(const std::string& source, int64_t now_ms = 0) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    places_.Add(ends[0], source, now_ms);
    places_.Begin(ends[0]);
    near_[ends[0]] = UniqueFd(ends[0]);
    far_[ends[0]] = UniqueFd(ends[1]);
    return ends[0];
  }

  /// The far end sees that `fd` was shut down.
  bool IsEnded(int fd) {
    char byte;
    return ::recv(far_.at(fd).get(), &byte, 1, MSG_PEEK) == 0;
  }

  ClientPlaces places_{{.places = 3,
                        .ending = 2,
                        .answer_bytes = 100,
                        .request_ms = 10,
                        .body_ms = 20,
                        .answer_ms = 30}};
  std::map<int, UniqueFd> near_;
  std::map<int, UniqueFd> far_;
};

TEST_F(PlacesTest, TheOneThatWaitedLongestMakesRoom) {
  const int b = Connect("x");
  const int a = Connect("x");
  EXPECT_TRUE(places_.MakeRoom());
  EXPECT_FALSE(IsEnded(b)) << "there is one place left";
  const int c = Connect("x");
  EXPECT_TRUE(places_.MakeRoom());
  EXPECT_TRUE(IsEnded(b));
  EXPECT_FALSE(IsEnded(a));
  EXPECT_FALSE(IsEnded(c));
}

TEST_F(PlacesTest, OfTheSourceThatHasMost) {
  const int old = Connect("x", 0);
  const int b = Connect("y", 1);
  const int c = Connect("y", 2);
  EXPECT_TRUE(places_.MakeRoom());
  EXPECT_FALSE(IsEnded(old));
  EXPECT_TRUE(IsEnded(b));
  EXPECT_FALSE(IsEnded(c));
}

TEST_F(PlacesTest, WorkIsNotEnded) {
  const int a = Connect("x", 0);
  const int b = Connect("x", 1);
  const int c = Connect("x", 2);
  places_.Works(a);
  places_.Works(b);
  places_.Answers(c, 1, 3);
  EXPECT_TRUE(places_.busy());
  EXPECT_TRUE(places_.MakeRoom());
  EXPECT_TRUE(IsEnded(c)) << "who does not read its answer goes when nobody waits";
  const int d = Connect("x", 4);
  places_.Works(d);
  EXPECT_FALSE(places_.MakeRoom());
  EXPECT_FALSE(IsEnded(a) || IsEnded(b) || IsEnded(d));
}

TEST_F(PlacesTest, NobodyEntersWhileManyAreBeingEnded) {
  for (int i = 0; i < 3; ++i) Connect("x", i);
  EXPECT_TRUE(places_.MakeRoom());
  Connect("x", 3);
  EXPECT_TRUE(places_.MakeRoom());
  const int last = Connect("x", 4);
  EXPECT_FALSE(places_.MakeRoom());
  EXPECT_FALSE(IsEnded(last));
  for (auto& [fd, end] : near_) {
    if (IsEnded(fd)) places_.Remove(fd);
  }
  EXPECT_EQ(places_.size(), 3u);
  EXPECT_TRUE(places_.MakeRoom());
}

TEST_F(PlacesTest, EachStateHasItsTime) {
  const int head = Connect("x", 0);
  const int body = Connect("y", 0);
  const int answer = Connect("z", 0);
  places_.ReceivesBody(body, 5);
  places_.Answers(answer, 1, 5);
  EXPECT_EQ(places_.EndLate(9), 10);
  EXPECT_FALSE(IsEnded(head));
  EXPECT_EQ(places_.EndLate(10), 25);
  EXPECT_TRUE(IsEnded(head));
  EXPECT_EQ(places_.EndLate(25), 35);
  EXPECT_TRUE(IsEnded(body));
  places_.WaitsForRequest(answer, 30);
  EXPECT_EQ(places_.EndLate(35), 40);
  EXPECT_FALSE(IsEnded(answer));
  EXPECT_EQ(places_.EndLate(40), ClientPlaces::kNever);
  EXPECT_TRUE(IsEnded(answer));
  EXPECT_FALSE(places_.busy());
}

TEST_F(PlacesTest, AnswersThatNobodyReadsAreBoundedTogether) {
  const int a = Connect("x");
  const int b = Connect("x");
  const int c = Connect("x");
  places_.Answers(a, 60, 1);
  places_.Answers(b, 40, 2);
  EXPECT_FALSE(IsEnded(a));
  places_.Answers(c, 1, 3);
  EXPECT_TRUE(IsEnded(a)) << "the oldest";
  EXPECT_FALSE(IsEnded(b));
  places_.WaitsForRequest(b, 4);
  places_.Answers(b, 90, 5);
  EXPECT_FALSE(IsEnded(b) || IsEnded(c)) << "what was sent does not count";
}

TEST_F(PlacesTest, AConnectionThatNeverBeganIsForgottenAndNotShutDown) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  const UniqueFd near(ends[0]);
  const UniqueFd far(ends[1]);
  places_.Add(near.get(), "x", 0);
  EXPECT_EQ(places_.EndLate(10), ClientPlaces::kNever);
  EXPECT_EQ(places_.size(), 0u);
  char byte;
  EXPECT_EQ(::recv(far.get(), &byte, 1, 0), -1) << "its fd may be that of a session by now";
}

}  // namespace
}  // namespace l4lb
