// SPDX-License-Identifier: Apache-2.0
//
// Who may ask for what.  Against strangers: tokens.  Against web pages in the browser of somebody
// who may reach a loopback address: the Host header (a name that an attacker's DNS points to
// 127.0.0.1) and the Origin header (a form or script of another site).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "l4lb/admin/request.h"

namespace l4lb {

class Access {
 public:
  /// `reachable`: other machines may reach the address, under names that nobody told us.
  explicit Access(bool reachable) : reachable_(reachable) {}

  /// Takes the tokens of these files from now on; an empty path is no file.  After an error the
  /// tokens are what they were.  Any thread.
  absl::Status ReadTokens(const std::string& token_file, const std::string& read_token_file);

  /// The answer when the request may not be.  `open`: it needs no token.  Any thread.
  std::optional<Response> Refuse(const Request& request, bool open) const;

 private:
  struct Tokens {
    std::string full;
    std::string read;  // Either may be empty.
  };

  bool IsOurName(const Request& request) const;
  std::optional<Response> RefuseByToken(const Request& request, const Tokens& tokens) const;
  std::shared_ptr<const Tokens> tokens() const;

  const bool reachable_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Tokens> tokens_ = std::make_shared<const Tokens>();
};

}  // namespace l4lb
