// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/config_source.h"

#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "l4lb/config/load.h"
#include "l4lb/net/errno_text.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

namespace l4lb {
namespace {

// A pipe was read to its end at the start.
absl::StatusOr<std::string> ReadFile(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is no regular file: it cannot be read again"));
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in) return text;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": the file cannot be read: ", ErrnoText(errno)));
}

std::string HashOf(const std::string& text) {
  return absl::StrFormat("%016x", XXH3_64bits(text.data(), text.size()));
}

}  // namespace

ConfigSource::ConfigSource(const std::string& path) {
  status_.path = path;
  status_.loaded_unix_ms = absl::ToUnixMillis(absl::Now());
  if (path.empty()) return;
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (text.ok()) status_.hash = HashOf(*text);
}

absl::StatusOr<Config> ConfigSource::Read() {
  if (!has_file()) {
    return absl::FailedPreconditionError(
        "l4lb was started with flags alone: there is no configuration file to reload");
  }
  const absl::StatusOr<std::string> text = ReadFile(path());
  if (!text.ok()) return Fail(text.status());
  absl::StatusOr<Config> config = ParseConfig(path(), *text);
  if (!config.ok()) return Fail(config.status());
  read_hash_ = HashOf(*text);
  return config;
}

void ConfigSource::Note(const absl::Status& outcome) {
  if (!outcome.ok()) {
    Fail(outcome).IgnoreError();
    return;
  }
  ++status_.reloads;
  status_.hash = read_hash_;
  status_.loaded_unix_ms = absl::ToUnixMillis(absl::Now());
  status_.last_error.clear();
}

absl::Status ConfigSource::Fail(const absl::Status& status) {
  ++status_.reloads_failed;
  status_.last_error = std::string(status.message());
  return status;
}

}  // namespace l4lb
