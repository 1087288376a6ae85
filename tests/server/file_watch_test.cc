// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/file_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/server/temporary_folder.h"

namespace l4lb {
namespace {

class FileWatchTest : public ::testing::Test {
 protected:
  // One that the kernel's clock, which goes in ticks, cannot hide.
  void Age(const std::string& name, int seconds) const {
    const timespec times[2] = {{.tv_sec = 1'000'000'000 + seconds, .tv_nsec = 0},
                               {.tv_sec = 1'000'000'000 + seconds, .tv_nsec = 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, folder_.path(name).c_str(), times, 0), 0);
  }
  void Replace(const std::string& with, const std::string& name) const {
    std::filesystem::rename(folder_.path(with), folder_.path(name));
  }

  const TemporaryFolder folder_;
};

TEST_F(FileWatchTest, NothingHappensToAFileThatStays) {
  FileWatch watch(folder_.Write("file", "a"));
  for (int look = 0; look < 5; ++look) EXPECT_FALSE(watch.Changed());
}

TEST_F(FileWatchTest, AWriteIsSeenOnceAndOnlyWhenTwoLooksAgree) {
  FileWatch watch(folder_.Write("file", "a"));
  EXPECT_FALSE(watch.Changed());
  folder_.Write("file", "ab");
  EXPECT_FALSE(watch.Changed()) << "it may still be written";
  folder_.Write("file", "abc");
  EXPECT_FALSE(watch.Changed()) << "indeed";
  EXPECT_TRUE(watch.Changed());
  EXPECT_FALSE(watch.Changed());
}

TEST_F(FileWatchTest, TheSameSizeAtAnotherTimeIsAChange) {
  FileWatch watch(folder_.Write("file", "a"));
  folder_.Write("file", "b");
  Age("file", 1);
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed());
}

TEST_F(FileWatchTest, AnotherFileOfTheSameSizeAndTimeRenamedOverItIsAChange) {
  const std::string path = folder_.Write("file", "a");
  Age("file", 1);
  FileWatch watch(path);
  folder_.Write("next", "b");
  Age("next", 1);
  Replace("next", "file");
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed());
  EXPECT_FALSE(watch.Changed());
}

// As Kubernetes swaps mounted volumes: file -> data/file, data -> generation-1, then data is
// renamed over.
TEST_F(FileWatchTest, ASymbolicLinkThatLeadsElsewhereIsAChange) {
  namespace fs = std::filesystem;
  for (const char* generation : {"one", "two"}) {
    fs::create_directory(folder_.path(generation));
    folder_.Write(std::string(generation) + "/file", "a");
    Age(std::string(generation) + "/file", 1);
  }
  fs::create_symlink("one", folder_.path("data"));
  fs::create_symlink("data/file", folder_.path("file"));
  FileWatch watch(folder_.path("file"));
  EXPECT_FALSE(watch.Changed());
  fs::create_symlink("two", folder_.path("data.next"));
  Replace("data.next", "data");
  fs::remove_all(folder_.path("one"));
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed());
  EXPECT_FALSE(watch.Changed());
}

TEST_F(FileWatchTest, AFileThatIsGoneIsNoChangeButItsReturnIs) {
  const std::string path = folder_.Write("file", "a");
  Age("file", 1);
  FileWatch watch(path);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  for (int look = 0; look < 3; ++look) EXPECT_FALSE(watch.Changed());
  folder_.Write("file", "other");
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed());
}

TEST_F(FileWatchTest, AFileThatIsNotThereYetIsSeenWhenItComes) {
  FileWatch watch(folder_.path("file"));
  for (int look = 0; look < 3; ++look) EXPECT_FALSE(watch.Changed());
  folder_.Write("file", "a");
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed());
}

TEST_F(FileWatchTest, AFileThatCameBackAsItWasHasNotChanged) {
  const std::string path = folder_.Write("file", "a");
  FileWatch watch(path);
  Replace("file", "aside");
  EXPECT_FALSE(watch.Changed());
  Replace("aside", "file");
  for (int look = 0; look < 3; ++look) EXPECT_FALSE(watch.Changed());
}

}  // namespace
}  // namespace l4lb
