// SPDX-License-Identifier: Apache-2.0
//
// The one table of all configuration keys.  It feeds the reader and its suggestions, the flags and
// --help, --print_config, and the generated reference, man page and JSON Schema.
//
// To add a key: give Config its member with the default (config.h), add one row to keys_process.cc,
// keys_listener.cc, keys_pool.cc or keys_health.cc, and rewrite the generated files
// (generated_files_test says how).  A key with a flag also needs its DEFINE_string in flags.cc; a
// test says so when it is forgotten.  Checks that look at more than one value go into validate.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "l4lb/config/binding.h"

namespace l4lb {

enum class KeyType {
  kBool,
  kInteger,
  kDuration,
  kSize,
  kEnum,
  kFactor,           // A decimal such as 1.25; its value is in percent.
  kPercentage,       // A whole number such as 10%.
  kSessions,         // What becomes of sessions: keep (for ever), close (at once), {drain: 30s}.
  kName,             // Text for people and metrics: printable UTF-8.
  kText,             // ASCII without NUL, of any other control characters, too; or empty.
  kWord,             // Printable ASCII without blanks, or empty.
  kPath,             // Of a file; "-" is stdout, empty is off.
  kUser,             // Of the machine; empty is none.
  kAdminAddress,     // One address to bind, "auto" or "off".
  kFileMode,         // Octal digits.
  kBackendAddress,   // Numeric host or host name, and port; or a UNIX socket.
  kBindAddresses,    // One address or a list of them; port 0 asks the kernel.
  kSourceAddresses,  // Numeric hosts without ports: one, or a list that may be empty.
  kHostAddress,      // One numeric host without a port, or empty.
  kMapping,          // Keys below it, in the same struct.
  kList,             // A list of mappings, each a struct of its own.
};

/// What a change of the value needs.
enum class Reload { kRestart, kReload };

struct Key {
  absl::string_view path;  // From the top, "[]" after each list: "pools[].keepalive.idle".
  KeyType type;
  Reload reload = Reload::kReload;
  bool required = false;
  Field field = {};        // All but kMapping and kList.
  Elements elements = {};  // kList.

  /// Range, both ends included: milliseconds of a duration, bytes of a size or of a text.
  int64_t min = 0;
  int64_t max = 0;
  int64_t step = 1;  // Values are multiples of it.
  absl::string_view range_note =
      {};  // Says why, when the range is surprising; of kText what else to do.
  std::vector<absl::string_view> choices = {};  // kEnum, in the order of the C++ enum.
  absl::string_view word = {};                  // kInteger: a word that may stand for word_value.
  int64_t word_value = 0;

  absl::string_view flag = {};          // The command line's name for it, without dashes.
  absl::string_view flag_value = {};    // What --help shows as its value, when not by the type.
  absl::string_view default_text = {};  // Instead of the value that config.h initialises it with.
  absl::string_view summary;            // One line, no full stop.
  absl::string_view text = {};          // Sentences that follow the summary.
  absl::string_view example = {};       // As in a file; needed when there is no default to show.

  /// One value or a list of them.
  bool is_address_list() const {
    return type == KeyType::kBindAddresses || type == KeyType::kSourceAddresses;
  }

  /// An empty value, or none, is one.
  bool may_be_empty() const {
    return type == KeyType::kPath || type == KeyType::kUser || type == KeyType::kText ||
           type == KeyType::kWord || type == KeyType::kHostAddress;
  }

  /// Where the key stands: "" at the top, else such as "pools[]" or "pools[].keepalive".
  absl::string_view level() const;
  absl::string_view name() const;
};

/// All keys, each after the one it stands in, in the order of documentation.
absl::Span<const Key> AllKeys();

/// The keys of one level, in order.  Empty when there is no such level.
std::vector<const Key*> KeysOfLevel(absl::string_view level);

/// nullptr: no such key.
const Key* FindKey(absl::string_view level, absl::string_view name);
const Key* FindKeyByPath(absl::string_view path);
const Key* FindKeyByFlag(absl::string_view flag);

/// The level of a mapping's or list's keys.
std::string ChildLevel(const Key& key);

/// The default as it is written in a file.  Empty: required, or a mapping or list.
std::string DefaultText(const Key& key);

/// The rows, by the part of the file that they are about.
std::vector<Key> ProcessKeys();
std::vector<Key> ListenerKeys();
std::vector<Key> PoolKeys();
std::vector<Key> HealthKeys();  // A part of the former.

/// One after the other, to build the above from parts.
std::vector<Key> Concatenate(std::vector<std::vector<Key>> parts);

}  // namespace l4lb
