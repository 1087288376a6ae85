// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/admin_listener.h"

#include <sys/stat.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/net/listen.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {
namespace {

constexpr char kDefault[] = "127.0.0.1:9900";
constexpr char kAnyPort[] = "127.0.0.1:0";
constexpr int kBacklog = 512;

/// While it lives, new files get this mode: a chmod() afterwards would come too late for those who
/// connect before it.
class FileMode {
 public:
  explicit FileMode(mode_t mode) : before_(::umask(~mode & 0777)) {}
  ~FileMode() { ::umask(before_); }
  FileMode(const FileMode&) = delete;
  FileMode& operator=(const FileMode&) = delete;

 private:
  const mode_t before_;
};

absl::Status Wrong(std::string_view key, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat(absl::string_view(key.data(), key.size()), ": ", why));
}

absl::StatusOr<AdminListener> ListenAt(const std::string& text, const std::string& mode_text) {
  SocketAddress address;
  std::string why;
  mode_t mode = 0;
  if (!SocketAddress::Parse(text, &address, &why)) return Wrong("admin.bind", why);
  if (!ParseFileMode(mode_text, &mode)) return Wrong("admin.mode", mode_text);
  const ListenOptions options = {.backlog = kBacklog};
  absl::StatusOr<UniqueFd> fd;
  if (address.family() == AF_UNIX) {
    const FileMode as_asked(mode);
    fd = Listen(address, options);
  } else {
    fd = Listen(address, options);
  }
  if (!fd.ok()) {
    return absl::Status(fd.status().code(), absl::StrCat("admin API: ", fd.status().message()));
  }
  AdminListener listener;
  listener.file = SocketFileOf(fd->get());
  listener.address = LocalAddress(fd->get()).ToString();
  listener.fd = *std::move(fd);
  return listener;
}

}  // namespace

absl::StatusOr<AdminListener> ListenForAdmin(const std::string& bind, const std::string& mode) {
  if (bind != kAdminAuto) return ListenAt(bind, mode);
  absl::StatusOr<AdminListener> usual = ListenAt(kDefault, mode);
  if (usual.ok() || !absl::IsAlreadyExists(usual.status())) return usual;
  absl::StatusOr<AdminListener> other = ListenAt(kAnyPort, mode);
  if (other.ok()) {
    LOG(WARNING) << usual.status().message() << "; it listens on " << other->address
                 << " instead; set admin.bind (--admin) to choose";
  }
  return other;
}

}  // namespace l4lb
