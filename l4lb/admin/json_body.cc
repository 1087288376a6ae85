// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/json_body.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/utf8.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

/// Takes what nlohmann::json reads, value by value; refuses all that is not a flat object, so that
/// no document of thousands of levels is ever built.
class FlatReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  FlatReader(std::vector<JsonField>* fields, RequestError* error)
      : fields_(fields), error_(error) {}

  bool null() override { return Take(JsonField::Kind::kOther, "null"); }
  bool boolean(bool value) override {
    return Take(JsonField::Kind::kBool, value ? "true" : "false");
  }
  bool number_integer(int64_t value) override {
    return Take(JsonField::Kind::kInteger, absl::StrCat(value));
  }
  bool number_unsigned(uint64_t value) override {
    return Take(JsonField::Kind::kInteger, absl::StrCat(value));
  }
  bool number_float(double, const std::string& text) override {
    return Take(JsonField::Kind::kOther, text);
  }
  bool string(std::string& value) override {
    return Take(JsonField::Kind::kText, std::move(value));
  }
  bool binary(nlohmann::json::binary_t&) override { return Refuse("binary data", ""); }

  bool start_object(size_t) override {
    if (open_) return Refuse(absl::StrCat(Subject(), " is an object"), "a plain value");
    open_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(size_t) override {
    if (!open_) return Refuse("the body is a list", "a JSON object");
    return Refuse(absl::StrCat(Subject(), " is a list"), "a plain value");
  }
  bool end_array() override { return true; }

  bool key(std::string& name) override {
    name_ = name;
    const auto same = [&](const JsonField& field) { return field.name == name; };
    if (std::none_of(fields_->begin(), fields_->end(), same)) return true;
    return Refuse(absl::StrCat(Subject(), " is there twice"), "each field once");
  }

  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string text = error.what();
    const size_t start = text.find("] ");
    return Refuse(absl::StrCat("the body is not JSON: ",
                               Printable(text.substr(start == text.npos ? 0 : start + 2))),
                  "a JSON object, such as {\"weight\": 5}");
  }

 private:
  std::string Subject() const { return Quoted(name_); }

  bool Take(JsonField::Kind kind, std::string text) {
    if (!open_) return Refuse("the body is a single value", "a JSON object");
    fields_->push_back({name_, kind, std::move(text)});
    return true;
  }

  bool Refuse(std::string what, std::string right) {
    *error_ = {.what = std::move(what), .right = std::move(right), .field = Printable(name_)};
    return false;
  }

  std::vector<JsonField>* const fields_;
  RequestError* const error_;
  bool open_ = false;  // Inside the one object.
  std::string name_;   // Of the value that comes next.
};

/// `names` are few.
std::string AllowedText(const std::vector<std::string_view>& names) {
  if (names.empty()) return "no body";
  return absl::StrCat("allowed: ", JoinNames({names.begin(), names.end()}, "and", names.size()));
}

bool CheckKnown(const JsonField& field, const std::vector<std::string_view>& known,
                RequestError* error) {
  if (std::find(known.begin(), known.end(), field.name) != known.end()) return true;
  std::vector<absl::string_view> candidates;
  for (std::string_view name : known) candidates.push_back(Absl(name));
  const std::string meant = DidYouMean(field.name, candidates);
  *error = {.what = absl::StrCat("unknown field ", Quoted(field.name)),
            .right = meant.empty() ? AllowedText(known) : meant,
            .field = Printable(field.name)};
  return false;
}

/// The row that says what a field of a backend may be.
const Key& KeyOfField(std::string_view name) { return *FindKey("pools[].backends[]", Absl(name)); }

bool WrongKind(const JsonField& field, std::string_view wanted, RequestError* error) {
  *error = {.what = absl::StrCat(field.name, " is ", Quoted(field.text), ", not ", Absl(wanted)),
            .right = RangeText(KeyOfField(field.name)),
            .field = field.name};
  return false;
}

bool ReadByKey(const JsonField& field, Value* value, RequestError* error) {
  const Key& key = KeyOfField(field.name);
  Problem problem;
  if (ParseValue(key, field.text, value, &problem)) return true;
  *error = {.what = absl::StrCat(field.name, ": ", problem.message),
            .right = problem.hint.empty() ? RangeText(key) : problem.hint,
            .field = field.name};
  return false;
}

}  // namespace

bool JsonBody::Parse(std::string_view text, const std::vector<std::string_view>& known,
                     JsonBody* out, RequestError* error) {
  *out = {};
  if (text.empty()) return true;
  FlatReader reader(&out->fields_, error);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) return false;
  return std::all_of(out->fields_.begin(), out->fields_.end(),
                     [&](const JsonField& field) { return CheckKnown(field, known, error); });
}

const JsonField* JsonBody::Find(std::string_view name) const {
  for (const JsonField& field : fields_) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

bool JsonBody::Read(std::string_view name, std::optional<int64_t>* out, RequestError* error) const {
  const JsonField* field = Find(name);
  if (field == nullptr) return true;
  if (field->kind != JsonField::Kind::kInteger) return WrongKind(*field, "a whole number", error);
  Value value;
  if (!ReadByKey(*field, &value, error)) return false;
  *out = std::get<int64_t>(value);
  return true;
}

bool JsonBody::Read(std::string_view name, std::optional<std::string>* out,
                    RequestError* error) const {
  const JsonField* field = Find(name);
  if (field == nullptr) return true;
  if (field->kind != JsonField::Kind::kText) return WrongKind(*field, "a text in quotes", error);
  Value value;
  if (!ReadByKey(*field, &value, error)) return false;
  *out = field->text;
  return true;
}

bool JsonBody::Read(std::string_view name, std::optional<bool>* out, RequestError* error) const {
  const JsonField* field = Find(name);
  if (field == nullptr) return true;
  if (field->kind != JsonField::Kind::kBool) return WrongKind(*field, "true or false", error);
  *out = field->text == "true";
  return true;
}

}  // namespace l4lb
