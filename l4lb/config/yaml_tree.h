// SPDX-License-Identifier: Apache-2.0
//
// A YAML file as a tree of nodes that know their places.  The only user of libfyaml.  Read by
// config_reader.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "l4lb/config/diagnostics.h"

namespace l4lb {

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  struct Entry {
    const YamlNode* key;
    const YamlNode* value;
  };

  Kind kind = Kind::kNull;
  std::string text;                    // kScalar.
  std::vector<const YamlNode*> items;  // kSequence.
  std::vector<Entry> entries;          // kMapping, in order; keys may occur twice.
  Span span;                           // A mapping's or sequence's is that of its first key.
};

class YamlTree {
 public:
  /// Reads one document.  False: `diagnostics` has the reason.  An alias becomes a pointer to the
  /// node with the anchor, so the tree may share nodes and, with a misused alias, have cycles.
  bool Parse(absl::string_view text, Diagnostics* diagnostics);

  /// nullptr: the file has nothing but comments.
  const YamlNode* root() const { return root_; }

 private:
  class Builder;

  std::deque<YamlNode> nodes_;
  const YamlNode* root_ = nullptr;
};

}  // namespace l4lb
