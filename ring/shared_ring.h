// SPDX-License-Identifier: Apache-2.0
//
// A ring that changes while many threads look up in it.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ring/ring.h"
#include "ring/snapshot_cell.h"

namespace ring {

/// All members may be called from any thread.  Those that only read never lock and never wait, and
/// each sees the ring as it was at one moment.  Those that change it build a new one, O(points),
/// and return when nobody reads the old one any more.
class SharedRing {
 public:
  explicit SharedRing(const Options& options = {});

  /// AlreadyExists: its key is on the ring.  InvalidArgument: its weight is 0, or as Ring::Build().
  absl::Status Add(const Node& node);
  /// NotFound: the key is not on the ring.
  absl::Status Remove(std::string_view key);

  /// The key of the node that owns `bytes`.  FailedPrecondition: the ring is empty.
  absl::StatusOr<std::string> Lookup(std::string_view bytes) const;
  /// The keys of up to `count` different nodes, the owner of `bytes` first.  FailedPrecondition:
  /// the ring is empty.
  absl::StatusOr<std::vector<std::string>> Replicas(std::string_view bytes, size_t count) const;
  /// The ring as it is now, to be kept as long as wanted; nothing while it is empty.
  std::optional<Ring> Snapshot() const;
  /// visit(const Ring*) on the ring as it is now, nullptr while it is empty; without a copy.  It
  /// must not call Add() or Remove(), which would wait for it.
  template <class Visit>
  auto Read(Visit visit) const {
    return ring_.Read([&](const std::optional<Ring>& ring) {
      return visit(ring.has_value() ? &*ring : nullptr);
    });
  }

 private:
  absl::Status Rebuild(std::vector<Node> nodes);

  const Options options_;
  std::mutex changing_;
  std::vector<Node> nodes_;  // Guarded by changing_.
  SnapshotCell<std::optional<Ring>> ring_;
};

}  // namespace ring
