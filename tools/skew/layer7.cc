// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/layer7.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/skew/haproxy.h"
#include "tools/skew/nghttpx.h"

namespace l4lb::skew {
namespace {

struct Known {
  Layer7Kind kind;
  Layer7Choice choice;
  const char* program;
  const char* title;
  const char* version_flag;
  const char* package;  // Of Debian.
};

constexpr Known kKnown[] = {
    // The first one that is there is taken.
    {Layer7Kind::kHaproxy, Layer7Choice::kHaproxy, "haproxy", "HAProxy", "-v", "haproxy"},
    {Layer7Kind::kNghttpx, Layer7Choice::kNghttpx, "nghttpx", "nghttpx", "--version",
     "nghttp2-proxy"},
};

}  // namespace

absl::StatusOr<std::optional<Layer7Program>> FindLayer7(Layer7Choice choice,
                                                        const std::vector<std::string>& folders) {
  for (const Known& known : kKnown) {
    if (choice != Layer7Choice::kAuto && choice != known.choice) continue;
    const std::string path = FindProgram(known.program, folders);
    if (path.empty() && choice == Layer7Choice::kAuto) continue;
    if (path.empty()) {
      return absl::NotFoundError(absl::StrCat("no ", known.program,
                                              " in PATH or /usr/sbin: install the package ",
                                              known.package, ", or take --l7=auto"));
    }
    const absl::StatusOr<std::string> version = VersionOf(path, known.version_flag);
    if (!version.ok()) return version.status();
    return Layer7Program{known.kind, path, absl::StrCat(known.title, " ", *version)};
  }
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<Middle>> StartLayer7(const Layer7Program& program,
                                                    const std::vector<Endpoint>& all,
                                                    const std::vector<int>& in_use) {
  if (in_use.empty()) return absl::InvalidArgumentError("a proxy needs at least one backend");
  switch (program.kind) {
    case Layer7Kind::kHaproxy:
      return StartHaproxy(program.path, all, in_use);
    case Layer7Kind::kNghttpx:
      return StartNghttpx(program.path, all, in_use);
  }
  return absl::InternalError("no such kind of proxy");
}

}  // namespace l4lb::skew
