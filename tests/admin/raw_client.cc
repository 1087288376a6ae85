// SPDX-License-Identifier: Apache-2.0
#include "tests/admin/raw_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "glog/logging.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {
namespace {

constexpr int kPatienceMs = 30'000;  // Before a test that hangs fails.

bool WaitFor(int fd, short events, int ms) {
  pollfd one = {fd, events, 0};
  return ::poll(&one, 1, ms) > 0;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Takes status line and headers.
RawAnswer ParseHead(const std::string& head) {
  RawAnswer answer;
  if (head.rfind("HTTP/1.", 0) == 0 && head.size() > 12) answer.status = std::stoi(head.substr(9));
  size_t at = head.find("\r\n");
  while (at != head.npos && at + 2 < head.size()) {
    const size_t end = head.find("\r\n", at + 2);
    const std::string line = head.substr(at + 2, end - at - 2);
    const size_t colon = line.find(": ");
    if (colon != line.npos) answer.headers[Lower(line.substr(0, colon))] = line.substr(colon + 2);
    at = end;
  }
  return answer;
}

}  // namespace

RawClient::RawClient(const std::string& address, int receive_buffer) {
  SocketAddress parsed;
  std::string error;
  CHECK(SocketAddress::Parse(address, &parsed, &error)) << error;
  fd_ = UniqueFd(::socket(parsed.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (receive_buffer > 0) {
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  }
  PCHECK(::connect(fd_.get(), parsed.get(), parsed.size()) == 0) << address;
}

bool RawClient::Send(std::string_view bytes) { return SendFor(bytes, kPatienceMs) == bytes.size(); }

size_t RawClient::SendFor(std::string_view bytes, int ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  size_t sent = 0;
  while (sent < bytes.size() && std::chrono::steady_clock::now() < until) {
    const std::string_view rest = bytes.substr(sent);
    const ssize_t count = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN) return sent;
    if (count > 0) sent += static_cast<size_t>(count);
    if (count < 0) WaitFor(fd_.get(), POLLOUT, 50);
  }
  return sent;
}

void RawClient::FinishSending() { ::shutdown(fd_.get(), SHUT_WR); }

bool RawClient::ReadMore() {
  char block[1 << 16];
  if (!WaitFor(fd_.get(), POLLIN, kPatienceMs)) return false;
  const ssize_t count = ::recv(fd_.get(), block, sizeof(block), 0);
  if (count > 0) input_.append(block, static_cast<size_t>(count));
  return count > 0;
}

RawAnswer RawClient::Read(bool has_body) {
  size_t end;
  while ((end = input_.find("\r\n\r\n")) == input_.npos) {
    if (!ReadMore()) return {};
  }
  RawAnswer answer = ParseHead(input_.substr(0, end + 2));
  input_.erase(0, end + 4);
  if (answer.status == 100) return Read(has_body);
  const auto length = answer.headers.find("content-length");
  if (!has_body || length == answer.headers.end()) return answer;
  const size_t size = std::stoull(length->second);
  while (input_.size() < size) {
    if (!ReadMore()) return {};
  }
  answer.body = input_.substr(0, size);
  input_.erase(0, size);
  return answer;
}

bool RawClient::ReadsEnd(int ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  char block[1 << 16];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !WaitFor(fd_.get(), POLLIN, static_cast<int>(left.count()))) {
      return false;
    }
    if (::recv(fd_.get(), block, sizeof(block), 0) <= 0) return true;
  }
}

RawAnswer RawClient::Ask(const std::string& method, const std::string& target,
                         const std::string& headers, const std::string& body) {
  std::string request = method + " " + target + " HTTP/1.1\r\n";
  if (headers.find("Host:") == headers.npos) request += "Host: localhost\r\n";
  if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  Send(request + headers + "\r\n" + body);
  return Read(method != "HEAD");
}

RawAnswer AskOnce(const std::string& address, const std::string& target,
                  const std::string& headers) {
  return RawClient(address).Ask("GET", target, headers);
}

int64_t PrivateKiB() {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    int64_t kib = 0;
    if (word == "RssAnon:" && file >> kib) return kib;
  }
  return -1;
}

int64_t OpenFds() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

}  // namespace l4lb
