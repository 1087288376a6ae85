// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/log_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tests/observe/temporary_folder.h"

namespace l4lb {
namespace {

// Puts another file in the place of stdout while it lives.
class StdoutInstead {
 public:
  explicit StdoutInstead(int fd) : saved_(dup(STDOUT_FILENO)) { dup2(fd, STDOUT_FILENO); }
  ~StdoutInstead() { dup2(saved_.get(), STDOUT_FILENO); }

 private:
  UniqueFd saved_;
};

TEST(LogFileTest, AppendsAndIsPrivateToOwnerAndGroup) {
  const TemporaryFolder folder;
  const std::string path = folder.File("log");
  for (const char* line : {"one\n", "two\n"}) {
    absl::StatusOr<LogFile> file = LogFile::Open(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->Write(line), 4);
  }
  EXPECT_EQ(Lines(path), (std::vector<std::string>{"one", "two"}));
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0137, 0u);
}

TEST(LogFileTest, SaysWhyItCannotOpen) {
  const TemporaryFolder folder;
  const std::string path = folder.File("no/log");
  EXPECT_EQ(std::string(LogFile::Open(path).status().message()),
            "cannot open access log " + path + ": no such file or directory");
  const std::string fifo = folder.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(std::string(LogFile::Open(fifo).status().message()),
            "cannot open access log " + fifo + ": no process reads this FIFO");
}

TEST(LogFileTest, FifoWithoutRoomIsEagain) {
  const TemporaryFolder folder;
  const std::string fifo = folder.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const UniqueFd reader(open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  absl::StatusOr<LogFile> file = LogFile::Open(fifo);
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string data(100'000, 'x');
  while (file->Write(data) > 0) {
  }
  EXPECT_EQ(errno, EAGAIN);
}

// Stdout may be shared with a shell and a terminal: its flags are not ours to change.
TEST(LogFileTest, StdoutPipeNeverBlocksAndKeepsItsFlags) {
  int fds[2];
  ASSERT_EQ(pipe2(fds, O_CLOEXEC), 0);
  const UniqueFd reader(fds[0]);
  const UniqueFd writer(fds[1]);
  int64_t written = 0;
  int error = 0;
  {
    const StdoutInstead instead(writer.get());
    absl::StatusOr<LogFile> file = LogFile::Open("-");
    ASSERT_TRUE(file.ok()) << file.status();
    const std::string data(10'000, 'x');
    for (ssize_t size; (size = file->Write(data)) > 0;) written += size;
    error = errno;
  }
  EXPECT_EQ(error, EAGAIN);
  EXPECT_GE(written, 4096);
  EXPECT_EQ(fcntl(writer.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(LogFileTest, StdoutFileIsWrittenAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.File("out");
  const UniqueFd out(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  {
    const StdoutInstead instead(out.get());
    absl::StatusOr<LogFile> file = LogFile::Open("-");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->Write(std::string(50'000, 'x')), 50'000);
  }
  EXPECT_EQ(std::filesystem::file_size(path), 50'000u);
}

}  // namespace
}  // namespace l4lb
