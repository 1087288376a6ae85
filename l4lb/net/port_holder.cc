// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/port_holder.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "l4lb/net/ip_endpoint.h"

namespace l4lb {
namespace {

using Ip = std::array<uint8_t, 16>;

// One line of /proc/net/tcp or tcp6.
struct TcpSocket {
  Ip ip = {};
  uint16_t port = 0;
  bool listening = false;
  std::string inode;
};

// IPv6 and IPv4-mapped alike.
bool IsAny(const Ip& ip) {
  return std::all_of(ip.begin(), ip.begin() + 10, [](uint8_t byte) { return byte == 0; }) &&
         (ip[10] == ip[11]) &&
         std::all_of(ip.begin() + 12, ip.end(), [](uint8_t byte) { return byte == 0; });
}

// The kernel prints an address as 32-bit words in the byte order of the machine.
bool ReadIp(const std::string& hex, Ip* ip) {
  const std::string bytes = absl::HexStringToBytes(hex);
  const size_t start = ip->size() - std::min(ip->size(), bytes.size());
  if (bytes.size() != 4 && bytes.size() != 16) return false;
  for (size_t i = 0; i < bytes.size(); ++i) (*ip)[start + i] = static_cast<uint8_t>(bytes[i ^ 3]);
  if (bytes.size() == 4) (*ip)[10] = (*ip)[11] = 0xff;
  return true;
}

// "sl local remote st tx:rx tr:when retrnsmt uid timeout inode"
bool ReadSocket(const std::string& line, TcpSocket* socket) {
  std::istringstream fields(line);
  std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout;
  fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >>
      socket->inode;
  const size_t colon = local.find(':');
  uint32_t port = 0;
  if (fields.fail() || colon == local.npos) return false;
  if (!absl::SimpleHexAtoi(local.substr(colon + 1), &port)) return false;
  socket->port = static_cast<uint16_t>(port);
  socket->listening = state == "0A";
  return ReadIp(local.substr(0, colon), &socket->ip);
}

// The inode of the socket that holds the port, a listening one if there is one; empty if none.
std::string FindInode(const IpEndpoint& wanted) {
  std::string found;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      TcpSocket socket;
      if (!ReadSocket(line, &socket) || socket.port != wanted.port || socket.inode == "0") continue;
      if (socket.ip != wanted.ip && !IsAny(socket.ip) && !IsAny(wanted.ip)) continue;
      if (socket.listening) return socket.inode;
      found = socket.inode;
    }
  }
  return found;
}

std::vector<std::string> Entries(const std::string& path) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (folder == nullptr) return names;
  while (const dirent* entry = readdir(folder.get())) names.emplace_back(entry->d_name);
  return names;
}

bool HasOpen(const std::string& pid, const std::string& target) {
  const std::string folder = absl::StrCat("/proc/", pid, "/fd/");
  for (const std::string& fd : Entries(folder)) {
    char link[64];
    const ssize_t size = readlink((folder + fd).c_str(), link, sizeof(link));
    if (size > 0 && absl::string_view(link, static_cast<size_t>(size)) == target) return true;
  }
  return false;
}

}  // namespace

std::string PortHolder(const SocketAddress& address) {
  const IpEndpoint wanted(address);
  if (wanted.empty) return "";
  const std::string inode = FindInode(wanted);
  if (inode.empty()) return "";
  const std::string target = absl::StrCat("socket:[", inode, "]");
  if (HasOpen("self", target)) return "this process";
  for (const std::string& pid : Entries("/proc")) {
    if (pid.find_first_not_of("0123456789") != pid.npos || !HasOpen(pid, target)) continue;
    std::string name = "a process";
    std::ifstream comm(absl::StrCat("/proc/", pid, "/comm"));
    std::getline(comm, name);
    return absl::StrCat(name, " (pid ", pid, ")");
  }
  return "";
}

}  // namespace l4lb
