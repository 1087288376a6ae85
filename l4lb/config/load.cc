// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/load.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "l4lb/config/config_reader.h"
#include "l4lb/config/diagnostics.h"
#include "l4lb/config/load_file.h"
#include "l4lb/config/utf8.h"
#include "l4lb/config/validate.h"
#include "l4lb/config/validate_health.h"
#include "l4lb/config/yaml_tree.h"
#include "l4lb/net/errno_text.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

void ReportFindings(const Config& config, const Origins& origins, Diagnostics* diagnostics) {
  for (const Finding& finding : Validate(config, origins)) {
    std::string message = absl::StrCat(finding.path, ": ", finding.message);
    if (!finding.first.empty()) {
      absl::StrAppend(&message, "; the first is in line ", origins.Around(finding.first).line);
    }
    diagnostics->Add(origins.Around(finding.path).span, std::move(message), finding.hint);
  }
}

absl::Status CannotRead(const std::string& path, int error) {
  return absl::InvalidArgumentError(
      absl::StrCat(Printable(path), ": the file cannot be read: ", ErrnoText(error)));
}

}  // namespace

absl::StatusOr<LoadedConfig> LoadText(absl::string_view path, absl::string_view text) {
  const std::string shown_path = Printable(path);
  Diagnostics diagnostics(shown_path, text);
  LoadedConfig loaded;
  YamlTree tree;
  if (tree.Parse(text, &diagnostics)) {
    if (tree.root() == nullptr || tree.root()->kind == YamlNode::Kind::kNull) {
      diagnostics.Add({}, "the file is empty", "it needs listeners: and pools:");
    } else {
      ReadConfig(*tree.root(), &diagnostics, &loaded.origins, &loaded.config);
      FillNames(&loaded.config);
      FillCheckTimes(loaded.origins, &loaded.config);
      ReportFindings(loaded.config, loaded.origins, &diagnostics);
    }
  }
  if (!diagnostics.empty()) return absl::InvalidArgumentError(diagnostics.ToString());
  return loaded;
}

absl::StatusOr<LoadedConfig> LoadFile(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return CannotRead(path, errno);
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t count = read(fd.get(), block, sizeof(block));
    if (count == 0) return LoadText(path, text);
    if (count > 0) text.append(block, count);
    if (count < 0 && errno != EINTR) return CannotRead(path, errno);
  }
}

absl::StatusOr<Config> ParseConfig(std::string_view path, std::string_view text) {
  absl::StatusOr<LoadedConfig> loaded =
      LoadText({path.data(), path.size()}, {text.data(), text.size()});
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->config);
}

}  // namespace l4lb
