// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer target: any bytes as a configuration file.  What is taken must print and read back;
// what is refused must say where.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "l4lb/config/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<l4lb::Config> config = l4lb::ParseConfig("x", text);
  if (!config.ok()) {
    if (!absl::StartsWith(config.status().message(), "x:")) std::abort();
    return 0;
  }
  const std::string printed = l4lb::PrintConfig(*config);
  const absl::StatusOr<l4lb::Config> again = l4lb::ParseConfig("printed", printed);
  if (again.ok() && *again == *config) return 0;
  std::cerr << again.status() << "\n" << printed;
  std::abort();
}
