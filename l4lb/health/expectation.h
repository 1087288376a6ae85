// SPDX-License-Identifier: Apache-2.0
//
// What a backend must answer to a check.  Immutable, and safe to share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace l4lb {

class Expectation {
 public:
  enum class Answer {
    kMore,  // Not yet; it may still come.
    kMet,
    kRefuted,  // Whatever follows.
  };

  virtual ~Expectation() = default;
  /// Of all that was received so far.
  virtual Answer Look(absl::string_view received) const = 0;
  /// What was expected, for people: `"+PONG"`.
  virtual std::string Text() const = 0;
  /// Why `received`, which is all there will be, is not it: `expected "+PONG", got "-ERR" (4
  /// bytes)`.
  virtual std::string Mismatch(absl::string_view received) const;
};

/// Anywhere in what was received.
std::shared_ptr<const Expectation> ExpectText(std::string text);
/// RE2 syntax (linear time), on bytes; anywhere in what was received.  It is looked for whenever
/// something has come: `$` is the end of what is there so far.
absl::StatusOr<std::shared_ptr<const Expectation>> ExpectRegex(const std::string& regex);

struct StatusRange {
  int first = 200;
  int last = 399;
};
/// An HTTP/1 status line whose status lies in one of these.
std::shared_ptr<const Expectation> ExpectHttpStatus(std::vector<StatusRange> ranges);

/// `"-NOAUTH Authentication r..." (34 bytes)`: printable, and not long.
std::string QuotedBytes(absl::string_view bytes);

}  // namespace l4lb
