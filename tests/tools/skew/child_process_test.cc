// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace l4lb::skew {
namespace {

constexpr int kSoonMs = 20'000;

std::unique_ptr<ChildProcess> Shell(const std::string& script, int kept_fd = -1) {
  auto child = ChildProcess::Start({"/bin/sh", "-c", script}, kept_fd);
  EXPECT_TRUE(child.ok()) << child.status();
  return *std::move(child);
}

// Runs it to its end.
std::string OutputOf(const std::string& script, int kept_fd = -1) {
  const auto child = Shell(script, kept_fd);
  EXPECT_TRUE(child->HasEnded(kSoonMs));
  return child->Output();
}

bool IsThere(pid_t pid) { return kill(pid, 0) == 0; }

TEST(ChildProcess, TellsWhatItWroteAndHowItEnded) {
  const auto good = Shell("echo one; echo two >&2");
  EXPECT_TRUE(good->HasEnded(kSoonMs) && good->succeeded());
  EXPECT_EQ(good->Output(), "one\ntwo\n");
  const auto bad = Shell("for i in 1 2 3 4 5; do echo line $i; done; exit 3");
  EXPECT_TRUE(bad->HasEnded(kSoonMs) && !bad->succeeded());
  EXPECT_EQ(bad->Ending(), "exit status 3: line 3; line 4; line 5");
  const auto killed = Shell("kill -9 $$");
  EXPECT_TRUE(killed->HasEnded(kSoonMs));
  EXPECT_EQ(killed->Ending(), "signal 9");
}

TEST(ChildProcess, KeepsAllThatIsWrittenToTheNamesOfItsOutput) {
  EXPECT_EQ(OutputOf("echo one; echo two >>/dev/stderr; echo three"), "one\ntwo\nthree\n");
}

TEST(ChildProcess, SaysWhyItCannotStart) {
  const auto missing = ChildProcess::Start({"/no/such/program"});
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_EQ(std::string(missing.status().message()),
            "cannot start /no/such/program: no such file or directory");
  EXPECT_TRUE(absl::IsPermissionDenied(ChildProcess::Start({"/etc/passwd"}).status()));
}

TEST(ChildProcess, EndsAndIsReapedWithItsObject) {
  auto child = Shell("exec sleep 100");
  const pid_t pid = child->pid();
  EXPECT_FALSE(child->HasEnded());
  child.reset();
  EXPECT_FALSE(IsThere(pid));
}

TEST(ChildProcess, IsKilledWhenItDoesNotEndByItself) {
  auto child = Shell("trap '' TERM; echo ready; while :; do sleep 0.05; done");
  while (child->Output() != "ready\n") ASSERT_FALSE(child->HasEnded(10));
  const pid_t pid = child->pid();
  child.reset();
  EXPECT_FALSE(IsThere(pid));
}

TEST(ChildProcess, BlocksNoSignalThatWeBlock) {
  sigset_t ours, before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGTERM);
  sigaddset(&ours, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  EXPECT_EQ(OutputOf("grep SigBlk /proc/self/status"), "SigBlk:\t0000000000000000\n");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(ChildProcess, HasOfOurFilesTheOneThatIsKept) {
  const UniqueFd kept(open("/dev/null", O_WRONLY | O_CLOEXEC));
  const UniqueFd other(open("/dev/null", O_WRONLY));  // Of a library that does not care.
  EXPECT_EQ(OutputOf(absl::StrCat("readlink /proc/self/fd/", kept.get(), " /proc/self/fd/",
                                  other.get(), " /proc/self/fd/0"),
                     kept.get()),
            "/dev/null\n/dev/null\n");
  EXPECT_EQ(
      OutputOf(absl::StrCat("test -e /proc/self/fd/", other.get(), " || echo closed"), kept.get()),
      "closed\n");
}

// Starts a child, tells its pid, and dies without a chance to end it.
[[noreturn]] void StartAndDie(int told, int go) {
  const auto child = Shell("exec sleep 100");
  const pid_t pid = child->pid();
  [[maybe_unused]] ssize_t count = write(told, &pid, sizeof(pid));
  char byte;
  count = read(go, &byte, 1);
  kill(getpid(), SIGKILL);
  _exit(1);
}

TEST(ChildProcess, DoesNotOutliveOneThatIsKilled) {
  int told[2], go[2];
  ASSERT_EQ(pipe2(told, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(go, O_CLOEXEC), 0);
  const pid_t starter = fork();
  if (starter == 0) StartAndDie(told[1], go[0]);
  pid_t pid = 0;
  ASSERT_EQ(read(told[0], &pid, sizeof(pid)), static_cast<ssize_t>(sizeof(pid)));
  const UniqueFd pid_fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  ASSERT_TRUE(pid_fd);
  ASSERT_EQ(write(go[1], "", 1), 1);
  pollfd end = {.fd = pid_fd.get(), .events = POLLIN};
  EXPECT_EQ(poll(&end, 1, kSoonMs), 1);
  waitpid(starter, nullptr, 0);
  for (const int fd : {told[0], told[1], go[0], go[1]}) close(fd);
}

}  // namespace
}  // namespace l4lb::skew
