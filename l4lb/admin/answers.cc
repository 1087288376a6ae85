// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/answers.h"

#include <utility>

#include "l4lb/admin/json_writer.h"

namespace l4lb {
namespace {

int HttpStatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kResourceExhausted:
      return 409;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

}  // namespace

Response ErrorAnswer(const RequestError& error) {
  JsonWriter json;
  json.BeginObject();
  json.Key("error").BeginObject();
  json.Key("what").Text(error.what);
  if (!error.right.empty()) json.Key("right").Text(error.right);
  if (!error.field.empty()) json.Key("field").Text(error.field);
  json.EndObject();
  json.EndObject();
  Response response = JsonAnswer(json.Take());
  response.status = error.status;
  return response;
}

Response ErrorAnswer(const absl::Status& status) {
  return ErrorAnswer(
      RequestError{.status = HttpStatusOf(status.code()), .what = std::string(status.message())});
}

Response JsonAnswer(std::string json) {
  json += '\n';
  return {.type = kJsonType, .body = std::move(json)};
}

Response TextAnswer(std::string text) { return {.type = kTextType, .body = std::move(text)}; }

Response EmptyAnswer() { return {.status = 204}; }

}  // namespace l4lb
