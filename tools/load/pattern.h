// SPDX-License-Identifier: Apache-2.0
//
// The bytes that the load consists of.  Each stream has a key, and its byte at each position is
// known, so that lost, repeated, reordered and foreign bytes show.  Sending and checking touch no
// byte one by one: every stream is the same long random text, begun at another place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace l4lb::load {

class Pattern {
 public:
  /// A prime: no page, pipe or buffer size divides it, so that losing whole ones is seen.
  static constexpr uint64_t kPeriod = 1048573;
  /// How many bytes At() gives at least.
  static constexpr size_t kRun = 256 * 1024;

  Pattern();

  /// The kRun bytes of stream `key` from `position` on.
  const char* At(uint64_t key, uint64_t position) const {
    return text_.data() + (Start(key) + position) % kPeriod;
  }

  /// The index of the first of `size` bytes that is not what belongs at `position`; nothing when
  /// all are right.
  std::optional<size_t> FirstWrong(uint64_t key, uint64_t position, const char* data,
                                   size_t size) const;

  /// By how far `data` is ahead of `position` in the stream `key` (negative: bytes are repeated),
  /// in -kPeriod / 2 .. kPeriod / 2; nothing when its bytes are in no stream or are too few to
  /// tell.  Slow.
  std::optional<int64_t> Shift(uint64_t key, uint64_t position, const char* data,
                               size_t size) const;

 private:
  static uint64_t Start(uint64_t key);

  std::vector<char> text_;  // kPeriod bytes, and the first kRun of them again.
};

}  // namespace l4lb::load
