// SPDX-License-Identifier: Apache-2.0
//
// That FakeSocket behaves as the sockets of Linux do where the engine's contract depends on it.
#include "tests/support/fake_socket.h"

#include <errno.h>

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/support/fake_network.h"

namespace l4lb {
namespace {

class FakeSocketTest : public ::testing::Test {
 public:
  FakeSocketTest() { std::tie(near_, far_) = network_.Pair({}, {.send = 100, .receive = 100}); }
  std::string Receive(FakeSocket& socket) {
    std::string data(1000, '\0');
    result_ = socket.Receive(data.data(), data.size());
    data.resize(result_ > 0 ? static_cast<size_t>(result_) : 0);
    return data;
  }

  ManualClock clock_;
  Dice dice_{1};
  FakeNetwork network_{clock_, dice_};
  FakeSocket* near_ = nullptr;
  FakeSocket* far_ = nullptr;
  int64_t result_ = 0;
};

TEST_F(FakeSocketTest, FinComesBehindTheData) {
  EXPECT_EQ(near_->Send("abc"), 3);
  EXPECT_EQ(near_->Finish(), 0);
  EXPECT_EQ(near_->Send("d"), -EPIPE);
  network_.Carry();
  EXPECT_EQ(Receive(*far_), "abc");
  EXPECT_EQ(Receive(*far_), "");
  EXPECT_EQ(result_, 0);
  EXPECT_FALSE(far_->hung_up());
  far_->Finish();
  network_.Carry();
  EXPECT_TRUE(far_->hung_up());
  EXPECT_TRUE(near_->hung_up());
  EXPECT_FALSE(near_->error_pending());
}

TEST_F(FakeSocketTest, WindowBoundsWhatIsCarried) {
  EXPECT_EQ(near_->Send(std::string(250, 'x')), 250);
  network_.Carry();
  EXPECT_EQ(far_->unread(), 100u);
  EXPECT_EQ(near_->unacked(), 150u);
  EXPECT_EQ(near_->unsent(), 150u);
  Receive(*far_);
  EXPECT_EQ(near_->unsent(), 50u);
  network_.Carry();
  EXPECT_EQ(near_->unacked(), 50u);
  EXPECT_EQ(far_->Send(std::string(300, 'y')), 100);
  EXPECT_EQ(far_->Send("y"), -EAGAIN);
}

TEST_F(FakeSocketTest, ResetIsToldOnceToTheReader) {
  far_->Send("abc");
  network_.Carry();
  far_->Abort();
  network_.Carry();
  EXPECT_TRUE(near_->error_pending());
  EXPECT_EQ(Receive(*near_), "abc");
  Receive(*near_);
  EXPECT_EQ(result_, -ECONNRESET);
  EXPECT_EQ(near_->Send("x"), -EPIPE);
  Receive(*near_);
  EXPECT_EQ(result_, 0);
}

TEST_F(FakeSocketTest, ResetIsToldOnceToTheWriter) {
  far_->Send("abc");
  network_.Carry();
  far_->Abort();
  network_.Carry();
  EXPECT_EQ(near_->Send("x"), -ECONNRESET);
  EXPECT_EQ(Receive(*near_), "abc");
  Receive(*near_);
  EXPECT_EQ(result_, 0);
  EXPECT_TRUE(near_->hung_up());
}

TEST_F(FakeSocketTest, AbortThrowsTheSendQueueAway) {
  near_->Send(std::string(150, 'x'));
  network_.Carry();
  near_->Abort();
  network_.Carry();
  EXPECT_EQ(Receive(*far_).size(), 100u);
  Receive(*far_);
  EXPECT_EQ(result_, -ECONNRESET);
}

TEST_F(FakeSocketTest, CloseWithUnreadInputResets) {
  near_->Send("not read");
  far_->Send("thrown away");
  network_.Carry();
  far_->Close();
  network_.Carry();
  EXPECT_TRUE(near_->error_pending());
}

TEST_F(FakeSocketTest, SendingToAClosedEndIsAnsweredByReset) {
  far_->Send("bye");
  far_->Close();
  network_.Carry();
  EXPECT_FALSE(near_->error_pending());
  EXPECT_EQ(near_->Send("x"), 1);
  network_.Carry();
  EXPECT_TRUE(near_->error_pending());
  EXPECT_EQ(Receive(*near_), "bye");
  Receive(*near_);
  EXPECT_EQ(result_, 0) << "the FIN had come first";
  EXPECT_EQ(near_->Send("x"), -EPIPE);
}

TEST_F(FakeSocketTest, ClosedSocketsAreForgottenOnceTheyHaveSaidAll) {
  near_->Send(std::string(250, 'x'));
  near_->Close();
  network_.Carry();
  EXPECT_EQ(network_.socket_count(), 2u);
  EXPECT_EQ(Receive(*far_).size(), 100u);
  network_.Carry();
  EXPECT_EQ(Receive(*far_).size(), 100u);
  network_.Carry();
  EXPECT_EQ(network_.socket_count(), 1u);
  EXPECT_EQ(Receive(*far_).size(), 50u);
  Receive(*far_);
  EXPECT_EQ(result_, 0);
  far_->Close();
  network_.Carry();
  EXPECT_EQ(network_.socket_count(), 0u);
}

}  // namespace
}  // namespace l4lb
