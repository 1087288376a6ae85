// SPDX-License-Identifier: Apache-2.0
//
// Requests made of arbitrary bytes, near enough to right ones to get past the first check, and what
// must hold of every answer.  Used by admin_fuzz (libFuzzer) and by a seeded test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "l4lb/admin/request.h"
#include "tests/admin/fake_control.h"

namespace l4lb {

/// Every text of bytes makes a request; what a byte decides is stable, so that a fuzzer learns.
class RequestMaker {
 public:
  explicit RequestMaker(std::string_view bytes) : bytes_(bytes) {}

  Request Make();

 private:
  uint8_t Next();
  std::string_view PickOf(const std::vector<std::string_view>& words);
  std::string Raw();  // Some of the bytes as they are.
  std::string Target();
  std::string Query();
  std::string Body();
  std::string Value();

  std::string_view bytes_;
};

/// Asks as the server does, access included.  Returns what is wrong with the answer; empty:
/// nothing.
std::string AskAndCheck(const Request& request, FakeControl& control);

}  // namespace l4lb
