// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/flag_values.h"

#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "l4lb/config/units.h"

namespace l4lb::kit {

void AddDuration(CLI::App* app, const std::string& name, int64_t* ms, const std::string& help) {
  const auto parse = [ms, name](const std::string& text) {
    const std::optional<int64_t> parsed = ParseDurationMs(text);
    if (!parsed.has_value() || *parsed < 0) {
      throw CLI::ValidationError(
          name, absl::StrCat("'", text, "' is not a duration such as 250ms, 5s or 1h30m"));
    }
    *ms = *parsed;
  };
  app->add_option_function<std::string>(name, parse, help)
      ->type_name("TIME")
      ->default_str(FormatDurationMs(*ms));
}

CLI::Validator Within(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    double number = 0;
    if (absl::SimpleAtod(text, &number) && number >= least && number <= most) return "";
    return absl::StrFormat("'%s' is not a number from %g to %g", text, least, most);
  };
  return CLI::Validator(check, absl::StrFormat("%g to %g", least, most));
}

void AddSize(CLI::App* app, const std::string& name, int64_t* bytes, const std::string& help) {
  const auto parse = [bytes, name](const std::string& text) {
    const std::optional<int64_t> parsed = ParseSize(text);
    if (!parsed.has_value() || *parsed < 0) {
      throw CLI::ValidationError(
          name, absl::StrCat("'", text, "' is not a size such as 64, 16KiB or 1MiB"));
    }
    *bytes = *parsed;
  };
  app->add_option_function<std::string>(name, parse, help)
      ->type_name("SIZE")
      ->default_str(FormatSize(*bytes));
}

std::vector<SocketAddress> ParseAddresses(const std::string& flag,
                                          const std::vector<std::string>& texts) {
  std::vector<SocketAddress> addresses;
  for (const std::string& text : texts) {
    std::string error;
    if (!SocketAddress::Parse(text, &addresses.emplace_back(), &error)) {
      throw CLI::ValidationError(flag, error);
    }
  }
  return addresses;
}

}  // namespace l4lb::kit
