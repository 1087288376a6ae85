// SPDX-License-Identifier: Apache-2.0
//
// Each test changes a forked child, never the test itself.
#include "l4lb/server/privileges.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sched.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "l4lb/net/listen.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

constexpr char kUser[] = "nobody";

/// What `action` returned, run in a child; "" when it said nothing.
std::string InChild(const std::function<std::string()>& action) {
  int fds[2];
  EXPECT_EQ(pipe(fds), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string said = action();
    const bool written = write(fds[1], said.data(), said.size()) == ssize_t(said.size());
    _exit(written ? 0 : 1);
  }
  close(fds[1]);
  std::string said;
  char part[4096];
  for (ssize_t count; (count = read(fds[0], part, sizeof(part))) > 0;) said.append(part, count);
  close(fds[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the child must end by itself";
  return said;
}

/// Runs `action` in a child that has become kUser.
std::string AsUser(const std::function<std::string()>& action) {
  return InChild([&action] {
    const absl::Status status = DropPrivileges(kUser);
    return status.ok() ? action() : status.ToString();
  });
}

class DropPrivilegesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    const passwd* entry = getpwnam(kUser);
    if (entry == nullptr) GTEST_SKIP() << "this machine has no user " << kUser;
    uid_ = entry->pw_uid;
    gid_ = entry->pw_gid;
  }

  uid_t uid_ = 0;
  gid_t gid_ = 0;
};

TEST_F(DropPrivilegesTest, AllIdsAreTheUsers) {
  const std::string said = AsUser([] {
    uid_t uids[3];
    gid_t gids[3];
    gid_t groups[64];
    if (getresuid(&uids[0], &uids[1], &uids[2]) + getresgid(&gids[0], &gids[1], &gids[2]) != 0) {
      return std::string("failed");
    }
    const int count = getgroups(64, groups);
    return absl::StrCat(uids[0], " ", uids[1], " ", uids[2], " ", gids[0], " ", gids[1], " ",
                        gids[2], " ", count, " ", count > 0 ? groups[0] : 0);
  });
  EXPECT_EQ(said,
            absl::StrCat(uid_, " ", uid_, " ", uid_, " ", gid_, " ", gid_, " ", gid_, " 1 ", gid_));
}

TEST_F(DropPrivilegesTest, OneCapabilityIsLeft) {
  const std::string said = AsUser([] {
    const cap_t now = cap_get_proc();
    const std::unique_ptr<char, int (*)(void*)> text(cap_to_text(now, nullptr), cap_free);
    cap_free(now);
    return std::string(text.get());
  });
  EXPECT_EQ(said, "cap_net_bind_service=ep");
}

TEST_F(DropPrivilegesTest, ThereIsNoWayBack) {
  EXPECT_EQ(AsUser([] {
              const bool back = setuid(0) == 0 || setresuid(0, 0, 0) == 0 || setgid(0) == 0;
              return std::string(back ? "root again" : "no");
            }),
            "no");
  EXPECT_EQ(AsUser([] { return absl::StrCat(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)); }), "1");
}

TEST_F(DropPrivilegesTest, FilesOfRootAreClosed) {
  char path[] = "/tmp/l4lb_privileges_XXXXXX";
  const UniqueFd file(mkstemp(path));  // Mode 0600.
  ASSERT_TRUE(file);
  const std::string said = AsUser([&path] {
    const UniqueFd opened(open(path, O_RDONLY | O_CLOEXEC));
    return std::string(opened ? "opened" : strerror(errno));
  });
  unlink(path);
  EXPECT_EQ(said, strerror(EACCES));
}

// In a network namespace of its own, so that the port is free.
TEST_F(DropPrivilegesTest, LowPortsCanStillBeBound) {
  if (InChild([] { return std::string(unshare(CLONE_NEWNET) == 0 ? "" : "no"); }) == "no") {
    GTEST_SKIP() << "no network namespace of its own to be had";
  }
  const auto bind_http = [](const std::function<absl::Status()>& before) {
    return InChild([&before] {
      if (unshare(CLONE_NEWNET) != 0) return std::string("unshare failed");
      const absl::Status status = before();
      if (!status.ok()) return status.ToString();
      return Listen(Parsed("0.0.0.0:80"), {}).status().ToString();
    });
  };
  EXPECT_EQ(bind_http([] { return DropPrivileges(kUser); }), "OK");
  const std::string without = bind_http([this] {
    return setresuid(uid_, uid_, uid_) == 0 ? absl::OkStatus() : absl::InternalError("setresuid");
  });
  EXPECT_NE(without.find("permission denied"), std::string::npos) << "no proof: " << without;
}

TEST_F(DropPrivilegesTest, WorkersInheritItAll) {
  const std::string said = AsUser([] {
    std::string text;
    std::thread([&text] {
      const cap_t now = cap_get_proc();
      const std::unique_ptr<char, int (*)(void*)> caps(cap_to_text(now, nullptr), cap_free);
      cap_free(now);
      text = absl::StrCat(caps.get(), " ", geteuid(), " ", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    }).join();
    return text;
  });
  EXPECT_EQ(said, absl::StrCat("cap_net_bind_service=ep ", uid_, " 1"));
}

TEST_F(DropPrivilegesTest, CoreFilesStayAsTheyWere) {
  for (const int dumpable : {0, 1}) {
    const std::string said = InChild([dumpable] {
      prctl(PR_SET_DUMPABLE, dumpable);
      const absl::Status status = DropPrivileges(kUser);
      return status.ok() ? absl::StrCat(prctl(PR_GET_DUMPABLE)) : status.ToString();
    });
    EXPECT_EQ(said, absl::StrCat(dumpable));
  }
}

TEST_F(DropPrivilegesTest, RootMayNameItself) {
  EXPECT_EQ(InChild([] { return DropPrivileges("root").ToString(); }), "OK");
}

TEST_F(DropPrivilegesTest, TheUserItselfNeedsNoRoot) {
  const std::string said = InChild([this] {
    if (setresuid(uid_, uid_, uid_) != 0) return std::string("setresuid failed");
    return absl::StrCat(DropPrivileges(kUser).ToString(), "\n", DropPrivileges("root").ToString());
  });
  EXPECT_EQ(said,
            "OK\nPERMISSION_DENIED: cannot become user \"root\": started as nobody, and only root "
            "may");
}

// No root needed.
TEST(DropPrivilegesOfAnyUserTest, UnknownUser) {
  EXPECT_EQ(DropPrivileges("no such user").ToString(),
            "NOT_FOUND: there is no user \"no such user\"");
  EXPECT_EQ(DropPrivileges("").code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace l4lb
