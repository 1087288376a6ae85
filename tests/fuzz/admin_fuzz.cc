// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer target: requests to the admin API (methods, paths, queries, JSON, headers), made of the
// input's bytes.  tests/admin/request_maker.h says what must hold of every answer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "tests/admin/fake_control.h"
#include "tests/admin/request_maker.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  l4lb::FakeControl control;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const l4lb::Request request = l4lb::RequestMaker(bytes).Make();
  const std::string wrong = l4lb::AskAndCheck(request, control);
  if (wrong.empty()) return 0;
  std::cerr << wrong << ": " << request.method << " " << request.target << "\n" << request.body;
  std::abort();
}
