// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/help.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "l4lb/config/flag_table.h"

namespace l4lb {
namespace {

constexpr Example kExamples[] = {
    {"See it work, without a file, a backend or root", "l4lb --demo"},
    {"Balance port 5432 over two databases, the second taking twice as much",
     "l4lb --listen=:5432 --backends=10.0.0.1:5432,10.0.0.2:5432*2"},
    {"Turn flags into a file", "l4lb --listen=:5432 --backends=10.0.0.1:5432 --print_config"},
    {"Check a file, then run with it", "l4lb --config=/etc/l4lb/l4lb.yaml --check"},
};

constexpr absl::string_view kExampleFile =
    R"(listeners:
  - name: postgres
    bind: ["0.0.0.0:5432", "[::]:5432"]
    pool: postgres
    idle_timeout: 2h
pools:
  - name: postgres
    connect_timeout: 2s
    backends:
      - {name: pg1, address: "10.0.0.1:5432", weight: 2}
      - {name: pg2, address: "10.0.0.2:5432"}
access_log: {path: /var/log/l4lb/access.log}
)";

constexpr ExitStatus kExitStatuses[] = {
    {0, "done, or stopped as asked"},
    {1, "failed, for instance because an address is in use"},
    {2, "flags or configuration are wrong; stderr says where and what would be right"},
};

std::string FlagLine(const Flag& flag) {
  const std::string left = absl::StrCat("  --", flag.name, flag.is_switch() ? "" : "=", flag.value);
  const std::string fallback =
      flag.key == nullptr || flag.key->required ? "" : DefaultText(*flag.key);
  const std::string right =
      absl::StrCat(flag.summary, fallback.empty() || fallback == "\"\"" ? "" : " (default ",
                   fallback, fallback.empty() ? "" : ")");
  constexpr size_t kLeftWidth = 32;
  if (left.size() < kLeftWidth) return absl::StrFormat("%-32s%s\n", left, right);
  return absl::StrCat(left, "\n", std::string(kLeftWidth, ' '), right, "\n");
}

}  // namespace

absl::Span<const Example> Examples() { return kExamples; }

absl::string_view ExampleFile() { return kExampleFile; }

absl::Span<const ExitStatus> ExitStatuses() { return kExitStatuses; }

std::string HelpText() {
  std::string text =
      "l4lb balances TCP connections over backends.\n\n"
      "Usage: l4lb --listen=ADDR[,ADDR] --backends=ADDR[*WEIGHT][,...] [FLAG...]\n"
      "       l4lb --config=FILE [--check | --print_config]\n"
      "       l4lb --demo\n\n"
      "Examples\n";
  for (const Example& example : kExamples) {
    absl::StrAppend(&text, "  # ", example.what, "\n  ", example.command, "\n");
  }
  absl::StrAppend(&text, "\nFlags\n");
  for (const Flag& flag : AllFlags()) absl::StrAppend(&text, FlagLine(flag));
  absl::StrAppend(&text,
                  "\nADDR is 10.0.0.1:80, [2001:db8::1]:80 or unix:/path; to listen also :80, all\n"
                  "addresses; of a backend also a host name, db1.example:80.\n"
                  "DURATION is such as 250ms, 5s or 1h30m.  --config=FILE excludes the flags that\n"
                  "stand for keys of the file.\n\nExit status\n");
  for (const ExitStatus& status : kExitStatuses) {
    absl::StrAppend(&text, "  ", status.status, "  ", status.meaning, "\n");
  }
  return text;
}

}  // namespace l4lb
