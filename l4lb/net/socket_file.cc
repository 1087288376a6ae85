// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/socket_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "l4lb/net/listen.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

// False when it is something else, or nothing.
bool StatSocketFile(const char* path, struct stat* file) {
  return lstat(path, file) == 0 && S_ISSOCK(file->st_mode);
}

const char* UnixPath(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr_un*>(address.get())->sun_path;
}

}  // namespace

bool HasSocketFile(const SocketAddress& address) {
  struct stat file;
  return address.family() == AF_UNIX && StatSocketFile(UnixPath(address), &file);
}

bool RemoveStaleSocketFile(const SocketAddress& address) {
  if (!HasSocketFile(address)) return false;
  UniqueFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe || connect(probe.get(), address.get(), address.size()) == 0) return false;
  return errno == ECONNREFUSED && unlink(UnixPath(address)) == 0;
}

std::optional<SocketFile> SocketFileOf(int fd) {
  const SocketAddress address = LocalAddress(fd);
  struct stat file;
  if (address.family() != AF_UNIX || !StatSocketFile(UnixPath(address), &file)) return std::nullopt;
  return SocketFile{.path = UnixPath(address), .device = file.st_dev, .inode = file.st_ino};
}

int RemoveSocketFile(const SocketFile& file) {
  struct stat found;
  if (lstat(file.path.c_str(), &found) != 0) return errno;
  if (found.st_dev != file.device || found.st_ino != file.inode) return EEXIST;
  return unlink(file.path.c_str()) == 0 ? 0 : errno;
}

}  // namespace l4lb
