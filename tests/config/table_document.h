// SPDX-License-Identifier: Apache-2.0
//
// Configuration files made from the key table itself, so that tests reach keys that did not exist
// when the tests were written.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "l4lb/config/key_table.h"

namespace l4lb {

/// A change of the document that has every key.
struct DocumentEdit {
  absl::string_view renamed_path;  // The key to be written otherwise, by its path in the table.
  std::string new_name;
  absl::string_view extended_level;  // The level that gets `extra` as its first entry.
  std::string extra;                 // Such as "weight: 5".
};

/// A valid file in flow style with each key of the table once, but for the edit.
std::string DocumentWithAllKeys(const DocumentEdit& edit = {});

/// All levels that have keys, "" first.
std::vector<std::string> AllLevels();

/// Something that a key takes: its example or its default, in YAML.
std::string AnyValue(const Key& key);

}  // namespace l4lb
