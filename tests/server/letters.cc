// SPDX-License-Identifier: Apache-2.0
#include "tests/server/letters.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/time/clock.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

constexpr int kTries = 64;

}  // namespace

bool Within(const std::function<bool()>& holds, absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  while (!holds()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(2));
  }
  return true;
}

LetterBackend::LetterBackend(char letter) : letter_(letter), wake_(::eventfd(0, EFD_CLOEXEC)) {
  absl::StatusOr<UniqueFd> socket = Listen(Parsed("127.0.0.1:0"), {});
  CHECK(socket.ok()) << socket.status();
  socket_ = *std::move(socket);
  address_ = LocalAddress(socket_.get()).ToString();
  thread_ = std::thread([this] { Run(); });
}

LetterBackend::~LetterBackend() {
  stopping_ = true;
  PCHECK(::eventfd_write(wake_.get(), 1) == 0);
  thread_.join();
}

void LetterBackend::Run() {
  std::vector<UniqueFd> sessions;
  while (!stopping_) {
    std::vector<pollfd> events = {{wake_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}};
    for (const UniqueFd& session : sessions) events.push_back({session.get(), POLLIN, 0});
    ::poll(events.data(), events.size(), -1);
    for (size_t i = sessions.size(); i > 0; --i) {
      if (events[i + 1].revents != 0 && !Answer(events[i + 1].fd)) {
        sessions.erase(sessions.begin() + static_cast<ptrdiff_t>(i - 1));
      }
    }
    for (;;) {
      UniqueFd session(::accept(socket_.get(), nullptr, nullptr));
      if (!session) break;
      sessions.push_back(std::move(session));
    }
    open_ = static_cast<int>(sessions.size());
  }
}

bool LetterBackend::Answer(int fd) const {
  char question[256];
  const ssize_t size = ::recv(fd, question, sizeof question, 0);
  if (size <= 0) return false;
  const std::string answer(static_cast<size_t>(size), letter_);
  return ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) == size;
}

LetterClient::LetterClient(const std::string& address) {
  const SocketAddress peer = Parsed(address);
  fd_.Reset(::socket(peer.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  connected_ = ::connect(fd_.get(), peer.get(), peer.size()) == 0;
}

void LetterClient::Send() { (void)!::send(fd_.get(), "?", 1, MSG_NOSIGNAL); }

char LetterClient::Ask(absl::Duration patience) {
  Send();
  return Receive(patience);
}

char LetterClient::Receive(absl::Duration patience) {
  pollfd event = {fd_.get(), POLLIN, 0};
  char letter = kNobody;
  if (::poll(&event, 1, static_cast<int>(absl::ToInt64Milliseconds(patience))) != 1) return kNobody;
  return ::recv(fd_.get(), &letter, 1, 0) == 1 ? letter : kNobody;
}

bool LetterClient::Ends(absl::Duration patience) {
  pollfd event = {fd_.get(), POLLIN, 0};
  char byte;
  return ::poll(&event, 1, static_cast<int>(absl::ToInt64Milliseconds(patience))) == 1 &&
         ::recv(fd_.get(), &byte, 1, 0) <= 0;
}

LetterClient ClientOf(const std::string& address, char letter) {
  for (int tries = 0; tries < kTries; ++tries) {
    LetterClient client(address);
    if (client.Ask() == letter) return client;
  }
  ADD_FAILURE() << "nobody gets " << letter;
  return LetterClient(address);
}

bool AreServedBy(const std::string& address, const std::string& letters) {
  std::set<char> missing(letters.begin(), letters.end());
  for (int tries = 0; tries < kTries; ++tries) {
    const char letter = LetterClient(address).Ask();
    if (letters.find(letter) == std::string::npos) return false;
    missing.erase(letter);
    if (missing.empty() && tries > 4) return true;
  }
  return false;
}

bool BecomeServedBy(const std::string& address, const std::string& letters) {
  return Within([&] { return AreServedBy(address, letters); });
}

std::string AskAnew(const std::string& address, int clients) {
  std::string letters;
  for (; clients > 0; --clients) {
    const char letter = LetterClient(address).Ask();
    letters.push_back(letter == LetterClient::kNobody ? '-' : letter);
  }
  std::sort(letters.begin(), letters.end());
  return letters;
}

}  // namespace l4lb
