// SPDX-License-Identifier: Apache-2.0
//
// Backends that answer every byte with their letter, and clients that ask them: who served a
// session shows, and whether it still lives.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "l4lb/config/config.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {

/// Longer than anything here takes on a loaded machine.
inline constexpr absl::Duration kPatience = absl::Seconds(20);

/// Whether it holds before kPatience is over.
bool Within(const std::function<bool()>& holds, absl::Duration patience = kPatience);

class LetterBackend {
 public:
  explicit LetterBackend(char letter);
  ~LetterBackend();

  char letter() const { return letter_; }
  const std::string& address() const { return address_; }
  /// As the configuration has it: named as its letter.
  Config::Backend config() const { return {.name = {letter_}, .address = address_}; }
  /// Connections that it has now.
  int open() const { return open_.load(); }

 private:
  void Run();
  bool Answer(int fd) const;

  const char letter_;
  UniqueFd socket_;
  UniqueFd wake_;
  std::string address_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> open_{0};
  std::thread thread_;
};

class LetterClient {
 public:
  static constexpr char kNobody = '\0';

  /// Connects; connected() says whether it did.
  explicit LetterClient(const std::string& address);

  bool connected() const { return connected_; }
  /// Without waiting for an answer.
  void Send();
  /// The letter of who serves it; kNobody when the session has ended, or nobody answers in time.
  char Ask(absl::Duration patience = kPatience);
  /// What Ask() waits for.
  char Receive(absl::Duration patience = kPatience);
  /// Waits for the end of the session.
  bool Ends(absl::Duration patience = kPatience);
  void Close() { fd_.Reset(); }

 private:
  UniqueFd fd_;
  bool connected_ = false;
};

/// Connects until it gets this letter, 64 times at most.
LetterClient ClientOf(const std::string& address, char letter);

/// Whether new clients get all of these letters, and only these.
bool AreServedBy(const std::string& address, const std::string& letters);

/// Whether that becomes so: a listener whose place another takes still serves who comes while it
/// empties its backlog.
bool BecomeServedBy(const std::string& address, const std::string& letters);

/// The letters that so many new clients get, one after the other, sorted; each closes at once.
std::string AskAnew(const std::string& address, int clients);

}  // namespace l4lb
