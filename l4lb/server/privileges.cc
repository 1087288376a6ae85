// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/privileges.h"

#include <grp.h>
#include <pwd.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "l4lb/net/errno_text.h"

namespace l4lb {
namespace {

constexpr cap_value_t kKept = CAP_NET_BIND_SERVICE;

using Capabilities = std::unique_ptr<std::remove_pointer_t<cap_t>, int (*)(void*)>;

struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // In order, `gid` among them.
};

absl::Status Failed(const std::string& user, const std::string& why) {
  return absl::PermissionDeniedError(absl::StrCat("cannot become user \"", user, "\": ", why));
}

absl::Status FailedCall(const std::string& user, const char* call) {
  return Failed(user, absl::StrCat(call, ": ", ErrnoText(errno)));
}

std::vector<gid_t> GroupsOf(const std::string& user, gid_t gid) {
  std::vector<gid_t> groups(64);
  int count = static_cast<int>(groups.size());
  while (getgrouplist(user.c_str(), gid, groups.data(), &count) < 0) {
    groups.resize(std::max(groups.size() * 2, static_cast<size_t>(count)));
    count = static_cast<int>(groups.size());
  }
  groups.resize(count);
  std::sort(groups.begin(), groups.end());
  return groups;
}

absl::StatusOr<Account> Find(const std::string& user) {
  std::vector<char> text(1024);
  passwd entry;
  passwd* found = nullptr;
  int error = 0;
  do {
    text.resize(text.size() * 2);
    error = getpwnam_r(user.c_str(), &entry, text.data(), text.size(), &found);
  } while (error == ERANGE && text.size() < (1 << 20));
  if (found != nullptr) {
    return Account{entry.pw_uid, entry.pw_gid, GroupsOf(user, entry.pw_gid)};
  }
  if (error == 0) return absl::NotFoundError(absl::StrCat("there is no user \"", user, "\""));
  return absl::UnavailableError(
      absl::StrCat("cannot look up user \"", user, "\": ", ErrnoText(error)));
}

std::string CurrentUser() {
  const passwd* entry = getpwuid(geteuid());
  return entry == nullptr ? absl::StrCat("user ", geteuid()) : entry->pw_name;
}

// The one that is kept, if the process has it: a container may have been denied it.
Capabilities WhatToKeep() {
  Capabilities now(cap_get_proc(), cap_free);
  Capabilities kept(cap_init(), cap_free);
  cap_flag_value_t has = CAP_CLEAR;
  if (!now || !kept || cap_get_flag(now.get(), kKept, CAP_PERMITTED, &has) != 0) return kept;
  if (has == CAP_CLEAR) return kept;
  cap_set_flag(kept.get(), CAP_PERMITTED, 1, &kKept, CAP_SET);
  cap_set_flag(kept.get(), CAP_EFFECTIVE, 1, &kKept, CAP_SET);
  return kept;
}

// Groups first: without the user id of root they cannot be changed.
absl::Status ChangeIds(const std::string& user, const Account& account) {
  if (setgroups(account.groups.size(), account.groups.data()) != 0) {
    return FailedCall(user, "setgroups");
  }
  if (setresgid(account.gid, account.gid, account.gid) != 0) return FailedCall(user, "setresgid");
  if (setresuid(account.uid, account.uid, account.uid) != 0) return FailedCall(user, "setresuid");
  return absl::OkStatus();
}

absl::Status Change(const std::string& user, const Account& account) {
  const Capabilities kept = WhatToKeep();
  const int dumpable = prctl(PR_GET_DUMPABLE);
  if (!kept || prctl(PR_SET_KEEPCAPS, 1) != 0) return FailedCall(user, "capabilities");
  absl::Status status = ChangeIds(user, account);
  if (!status.ok()) return status;
  if (cap_set_proc(kept.get()) != 0) return FailedCall(user, "capset");
  if (prctl(PR_SET_KEEPCAPS, 0) != 0) return FailedCall(user, "capabilities");
  // Changing the user id took it away.  2 cannot be set, only come from fs.suid_dumpable.
  if (dumpable == 1 && prctl(PR_SET_DUMPABLE, 1) != 0) return FailedCall(user, "dumpable");
  return ForbidNewPrivileges(user);
}

// Every id, real, effective and saved: with one of root left, all would come back.
bool HasOnlyIdsOf(const Account& account) {
  uid_t uids[3];
  gid_t gids[3];
  if (getresuid(&uids[0], &uids[1], &uids[2]) != 0) return false;
  if (getresgid(&gids[0], &gids[1], &gids[2]) != 0) return false;
  std::vector<gid_t> groups(account.groups.size() + 1);
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  if (count < 0) return false;
  groups.resize(count);
  std::sort(groups.begin(), groups.end());
  const auto is_uid = [&](uid_t uid) { return uid == account.uid; };
  const auto is_gid = [&](gid_t gid) { return gid == account.gid; };
  return std::all_of(uids, uids + 3, is_uid) && std::all_of(gids, gids + 3, is_gid) &&
         groups == account.groups;
}

bool HasOnlyKeptCapability() {
  const Capabilities now(cap_get_proc(), cap_free);
  const Capabilities most(cap_init(), cap_free);
  if (!now || !most) return false;
  cap_set_flag(most.get(), CAP_PERMITTED, 1, &kKept, CAP_SET);
  cap_set_flag(most.get(), CAP_EFFECTIVE, 1, &kKept, CAP_SET);
  const Capabilities none(cap_init(), cap_free);
  return cap_compare(now.get(), most.get()) == 0 || cap_compare(now.get(), none.get()) == 0;
}

}  // namespace

absl::Status ForbidNewPrivileges(const std::string& user) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) return absl::OkStatus();
  return FailedCall(user, "no_new_privs");
}

absl::Status DropPrivileges(const std::string& user) {
  const absl::StatusOr<Account> account = Find(user);
  if (!account.ok()) return account.status();
  if (geteuid() != 0) {
    if (geteuid() == account->uid) return ForbidNewPrivileges(user);
    return Failed(user, absl::StrCat("started as ", CurrentUser(), ", and only root may"));
  }
  absl::Status status = Change(user, *account);
  if (!status.ok()) return status;
  if (HasOnlyIdsOf(*account) && HasOnlyKeptCapability()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("some of root's rights are left to user \"", user, "\""));
}

}  // namespace l4lb
