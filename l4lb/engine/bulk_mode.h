// SPDX-License-Identifier: Apache-2.0
//
// When a pump copies and when it splices: one small state per direction, shared by all engines.
// Copying costs less for messages of some KiB, splicing for bulk; the thresholds follow HAProxy's
// "fast streamer" rule and our own measurements (docs/explanation/pumps.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace l4lb {

class BulkMode {
 public:
  static constexpr int kFullReads = 3;          // In a row, to go over to splice.
  static constexpr int kSmallSplices = 2;       // In a row, to come back.
  static constexpr size_t kSmallSplice = 4096;  // Bytes.
  static constexpr int64_t kSilenceMs = 1000;   // Of the direction, to come back.

  bool bulk() const { return bulk_; }

  void OnCopy(size_t bytes, size_t capacity) {
    run_ = bytes == capacity ? std::min(run_ + 1, kFullReads) : 0;
    if (run_ < kFullReads || forbidden_) return;
    bulk_ = true;
    run_ = 0;
  }
  void OnSplice(size_t bytes) {
    run_ = bytes < kSmallSplice ? run_ + 1 : 0;
    if (run_ >= kSmallSplices) Leave();
  }
  /// Before a read: how long the direction has been silent.
  void OnSilence(int64_t ms) {
    if (bulk_ && ms > kSilenceMs) Leave();
  }
  void Leave() {
    bulk_ = false;
    run_ = 0;
  }
  /// This direction cannot be spliced.
  void Forbid() {
    Leave();
    forbidden_ = true;
  }

 private:
  bool bulk_ : 1 = false;
  bool forbidden_ : 1 = false;
  uint8_t run_ = 0;  // Full reads in a row, or small splices in a row.
};

}  // namespace l4lb
