// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/socket_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "l4lb/net/listen.h"
#include "tests/net/plain_sockets.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

class SocketFileTest : public testing::Test {
 protected:
  UniqueFd ListenThere() {
    absl::StatusOr<UniqueFd> fd = Listen(address_, {});
    EXPECT_TRUE(fd.ok()) << fd.status();
    return fd.ok() ? *std::move(fd) : UniqueFd();
  }
  bool Exists() const { return std::filesystem::exists(path_); }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.File("s");
  const SocketAddress address_ = Parsed("unix:" + path_);
};

TEST_F(SocketFileTest, OwnFileIsRemoved) {
  const UniqueFd fd = ListenThere();
  const std::optional<SocketFile> file = SocketFileOf(fd.get());
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->path, path_);
  EXPECT_TRUE(HasSocketFile(address_));
  EXPECT_EQ(RemoveSocketFile(*file), 0);
  EXPECT_FALSE(Exists());
  EXPECT_EQ(RemoveSocketFile(*file), ENOENT);
  EXPECT_FALSE(SocketFileOf(fd.get()).has_value());
}

TEST_F(SocketFileTest, TheFileOfASuccessorStays) {
  const UniqueFd old_listener = ListenThere();
  const std::optional<SocketFile> file = SocketFileOf(old_listener.get());
  ASSERT_TRUE(file.has_value());
  std::filesystem::remove(path_);
  const UniqueFd new_listener = ListenThere();
  EXPECT_EQ(RemoveSocketFile(*file), EEXIST);
  EXPECT_TRUE(Connected(address_)) << "the successor still serves";
}

TEST_F(SocketFileTest, AFileOfAnotherKindStays) {
  const UniqueFd fd = ListenThere();
  const std::optional<SocketFile> file = SocketFileOf(fd.get());
  ASSERT_TRUE(file.has_value());
  std::filesystem::remove(path_);
  std::ofstream(path_) << "precious";
  EXPECT_FALSE(HasSocketFile(address_));
  EXPECT_EQ(RemoveSocketFile(*file), EEXIST);
  EXPECT_TRUE(Exists());
}

TEST_F(SocketFileTest, OnlyTheFileOfNobodyIsStale) {
  EXPECT_FALSE(RemoveStaleSocketFile(address_)) << "there is none";
  UniqueFd fd = ListenThere();
  EXPECT_FALSE(RemoveStaleSocketFile(address_)) << "somebody listens";
  fd.Reset();
  EXPECT_TRUE(RemoveStaleSocketFile(address_));
  EXPECT_FALSE(Exists());
}

TEST_F(SocketFileTest, OthersHaveNoFile) {
  const absl::StatusOr<UniqueFd> tcp = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(tcp.ok());
  EXPECT_FALSE(SocketFileOf(tcp->get()).has_value());
  EXPECT_FALSE(SocketFileOf(-1).has_value());
  EXPECT_FALSE(HasSocketFile(Parsed("127.0.0.1:80")));
  EXPECT_FALSE(RemoveStaleSocketFile(Parsed("127.0.0.1:80")));
}

}  // namespace
}  // namespace l4lb
