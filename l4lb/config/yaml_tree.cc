// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/yaml_tree.h"

#include <libfyaml.h>

#include <algorithm>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

struct Free {
  void operator()(fy_diag* diag) const { fy_diag_destroy(diag); }
  void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
  void operator()(fy_document* document) const { fy_document_destroy(document); }
};
using Diag = std::unique_ptr<fy_diag, Free>;
using Parser = std::unique_ptr<fy_parser, Free>;
using Document = std::unique_ptr<fy_document, Free>;

Diag MakeDiag() {
  fy_diag_cfg config;
  fy_diag_cfg_default(&config);
  config.fp = nullptr;  // Nothing is written anywhere; errors are collected.
  Diag diag(fy_diag_create(&config));
  fy_diag_set_collect_errors(diag.get(), true);
  return diag;
}

/// Duplicate keys are let through: config_reader reports each with the place of the first.
Parser MakeParser(fy_diag* diag) {
  fy_parse_cfg config = {};
  config.search_path = "";
  config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_COLLECT_DIAG |
                                                 FYPCF_ALLOW_DUPLICATE_KEYS |
                                                 FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE);
  config.diag = diag;
  return Parser(fy_parser_create(&config));
}

/// libfyaml stops quietly at a NUL byte and names no good place for a wrong byte: look before.
bool CheckBytes(absl::string_view text, Diagnostics* diagnostics) {
  if (text.size() > kMostBytes) {
    diagnostics->Add({}, absl::StrCat("the file has more than ", kMostBytes >> 20, " MiB"));
    return false;
  }
  for (absl::string_view rest = text; !rest.empty();) {
    const size_t offset = text.size() - rest.size();
    const char32_t character = TakeCharacter(&rest);
    const bool control =
        (character < 0x20 && character != '\t' && character != '\n' && character != '\r') ||
        character == 0x7F;
    if (character != kInvalidUtf8 && !control) continue;
    diagnostics->Add({offset, offset + 1},
                     control ? "a control character is not text" : "the file is not valid UTF-8");
    return false;
  }
  return true;
}

std::string HintForSyntax(absl::string_view message, absl::string_view line) {
  if (absl::StrContains(message, "tab character")) return "indent with spaces";
  if (absl::StrContains(line, "]:")) return "an IPv6 address needs quotes: \"[::1]:80\"";
  return "";
}

void ReportSyntax(fy_diag* diag, Diagnostics* diagnostics) {
  void* iterator = nullptr;
  const fy_diag_error* error = fy_diag_errors_iterate(diag, &iterator);
  if (error == nullptr || error->msg == nullptr) {
    diagnostics->Add({}, "this is not YAML");
    return;
  }
  const size_t offset = diagnostics->OffsetOf(std::max(1, error->line), std::max(1, error->column));
  diagnostics->Add({offset, offset + 1}, absl::StrCat("YAML: ", Printable(error->msg)),
                   HintForSyntax(error->msg, diagnostics->LineAround(offset)));
}

bool IsNullText(absl::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

}  // namespace

class YamlTree::Builder {
 public:
  Builder(YamlTree* tree, Diagnostics* diagnostics) : tree_(tree), diagnostics_(diagnostics) {}

  /// `around` is the place of a node that has none of its own, such as nothing after a colon.  The
  /// depth is bounded by libfyaml's parser.
  const YamlNode* Build(fy_node* source, Span around) {
    if (source != nullptr && fy_node_is_alias(source)) return FollowAlias(source, around);
    YamlNode* node = &tree_->nodes_.emplace_back();
    node->span = around;
    if (source == nullptr) return node;
    built_[source] = node;
    switch (fy_node_get_type(source)) {
      case FYNT_SCALAR:
        FillScalar(source, node);
        break;
      case FYNT_SEQUENCE:
        FillSequence(source, node);
        break;
      case FYNT_MAPPING:
        FillMapping(source, node);
        break;
    }
    return node;
  }

 private:
  static Span SpanOf(fy_node* source, Span around) {
    fy_token* token = fy_node_is_scalar(source) ? fy_node_get_scalar_token(source) : nullptr;
    const fy_mark* start = token == nullptr ? nullptr : fy_token_start_mark(token);
    const fy_mark* end = token == nullptr ? nullptr : fy_token_end_mark(token);
    if (start == nullptr || end == nullptr) return around;
    return {start->input_pos, std::max(start->input_pos, end->input_pos)};
  }

  static void FillScalar(fy_node* source, YamlNode* node) {
    size_t size = 0;
    const char* text = fy_node_get_scalar(source, &size);
    node->span = SpanOf(source, node->span);
    if (text != nullptr) node->text.assign(text, size);
    const bool plain = fy_node_get_style(source) == FYNS_PLAIN;
    node->kind = plain && IsNullText(node->text) ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar;
  }

  void FillSequence(fy_node* source, YamlNode* node) {
    node->kind = YamlNode::Kind::kSequence;
    void* iterator = nullptr;
    while (fy_node* item = fy_node_sequence_iterate(source, &iterator)) {
      node->items.push_back(Build(item, node->span));
    }
    if (!node->items.empty()) node->span = node->items[0]->span;
  }

  void FillMapping(fy_node* source, YamlNode* node) {
    node->kind = YamlNode::Kind::kMapping;
    void* iterator = nullptr;
    while (fy_node_pair* pair = fy_node_mapping_iterate(source, &iterator)) {
      const YamlNode* key = Build(fy_node_pair_key(pair), node->span);
      if (node->entries.empty()) node->span = key->span;
      node->entries.push_back({key, Build(fy_node_pair_value(pair), key->span)});
    }
  }

  const YamlNode* FollowAlias(fy_node* source, Span around) {
    fy_node* target = fy_node_resolve_alias(source);
    const auto found = built_.find(target);
    if (target != nullptr && found != built_.end()) return found->second;
    diagnostics_->Add(SpanOf(source, around), "no anchor of this name stands before",
                      "a text that begins with * needs quotes");
    return &tree_->nodes_.emplace_back(YamlNode{.span = around});
  }

  YamlTree* const tree_;
  Diagnostics* const diagnostics_;
  absl::flat_hash_map<fy_node*, const YamlNode*> built_;
};

bool YamlTree::Parse(absl::string_view text, Diagnostics* diagnostics) {
  if (!CheckBytes(text, diagnostics)) return false;
  const Diag diag = MakeDiag();
  const Parser parser = MakeParser(diag.get());
  if (text.empty()) return true;  // fy_parser_set_string() takes size 0 for "up to the NUL".
  fy_parser_set_string(parser.get(), text.data(), text.size());
  const Document document(fy_parse_load_document(parser.get()));
  if (document == nullptr) {
    if (!fy_parser_get_stream_error(parser.get())) return true;
    ReportSyntax(diag.get(), diagnostics);
    return false;
  }
  fy_node* const root = fy_document_root(document.get());
  if (root != nullptr) root_ = Builder(this, diagnostics).Build(root, {});

  const Document second(fy_parse_load_document(parser.get()));
  if (fy_parser_get_stream_error(parser.get())) {
    ReportSyntax(diag.get(), diagnostics);
  } else if (second != nullptr) {
    const size_t marker = text.find("\n---");
    const size_t begin = marker == text.npos ? text.size() : marker + 1;
    diagnostics->Add({begin, begin + 3}, "a second document begins; the file must have only one");
  }
  return diagnostics->empty();
}

}  // namespace l4lb
