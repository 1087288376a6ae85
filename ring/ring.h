// SPDX-License-Identifier: Apache-2.0
//
// A consistent-hash ring (Karger et al., "Consistent hashing and random trees", STOC 1997): every
// node has many points on a circle, and a key belongs to the node of the first point clockwise.
//
//   absl::StatusOr<ring::Ring> made = ring::Ring::Build({{"cache-1", 1}, {"cache-2", 2}});
//   if (!made.ok()) ...
//   uint32_t node = made->Lookup("user:4711");
//   std::vector<uint32_t> replicas(3);
//   replicas.resize(made->Replicas(made->HashOf("user:4711"), absl::MakeSpan(replicas)));
//
// A node's points depend on nothing but its key and weight, so a change of one node never moves a
// key between two others.  SharedRing (shared_ring.h) is for rings that change while they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ring/hash.h"
#include "ring/point_index.h"

namespace ring {

struct Node {
  std::string key;      // Who it is, any bytes; must stay the same as long as the node lives.
  uint32_t weight = 1;  // It has `points` x weight points; 0 has none.
};

struct Options {
  /// Per unit of weight.  The standard deviation of a share is about 1 / sqrt(points).
  uint32_t points = 256;
  /// Another seed gives an independent ring, if the hash heeds it.
  uint64_t seed = 0;
  Hash hash = kXxh3;
};

/// Immutable; copies share their memory.  All members may be called from any thread.
class Ring {
 public:
  static constexpr size_t kMaxNodes = 1u << 16;
  static constexpr uint64_t kMaxPoints = 1u << 24;

  /// InvalidArgument: no nodes, a key twice, no weight above 0, 0 points, more than kMaxNodes or
  /// kMaxPoints.
  static absl::StatusOr<Ring> Build(absl::Span<const Node> nodes, const Options& options = {});

  /// The index of the node that owns `hash`, which is below 2^bits of the ring's hash.
  uint32_t Lookup(uint64_t hash) const noexcept { return index_->node(Find(hash)); }
  /// Hashes `bytes` with the ring's hash and seed.
  uint32_t Lookup(std::string_view bytes) const noexcept { return Lookup(HashOf(bytes)); }
  uint64_t HashOf(std::string_view bytes) const noexcept;

  /// The first node clockwise that `accept(node)` takes, or nothing when none is.  May ask about a
  /// node more than once.
  std::optional<uint32_t> FirstAccepted(uint64_t hash,
                                        absl::FunctionRef<bool(uint32_t)> accept) const;
  /// Writes different nodes into `out`, clockwise from `hash`: Lookup(hash) first, then who would
  /// have the key without it, and so on.  Returns how many: fewer than asked for when there are no
  /// more nodes with points.
  size_t Replicas(uint64_t hash, absl::Span<uint32_t> out) const;

  /// How much a node may carry when `total` sessions exist and one more comes:
  /// ceil(percent / 100 x (total + 1) x weight / sum of the weights alive).  `percent` from 100.
  uint64_t LoadCap(uint32_t node, uint64_t total, uint32_t percent) const;
  /// Bounded loads (Mirrokni, Thorup, Zadimoghaddam, 2016): the first node clockwise whose load is
  /// below its cap.  `load(node)`: its sessions now, which add up to `total`.  When other threads
  /// change loads meanwhile all may seem full: then Lookup(hash).
  uint32_t PickBounded(uint64_t hash, uint64_t total, uint32_t percent,
                       absl::FunctionRef<uint64_t(uint32_t)> load) const;

  /// The ring of the same nodes while only those are alive for which `alive` (by index) is true:
  /// the others have no points.  Depends on the nodes and on who is alive only.
  /// InvalidArgument: not one entry per node.  FailedPrecondition: nobody with a weight is alive.
  absl::StatusOr<Ring> WithAlive(absl::Span<const bool> alive) const;

  /// Nodes, dead ones and those of weight 0 too; their indices are in byte order of their keys.
  size_t nodes() const noexcept;
  const std::string& key(uint32_t node) const;
  uint32_t weight(uint32_t node) const;
  /// Which of the nodes given to Build() this one was.
  size_t input_position(uint32_t node) const;
  /// Points of the nodes alive.
  size_t points() const noexcept { return index_->size(); }
  /// The i-th point in order, as the hash made it, and its node.
  uint64_t point(size_t i) const { return index_->position(i) >> spare_bits_; }
  uint32_t point_node(size_t i) const { return index_->node(i); }

  /// Of what decides where a key goes: seed, keys and points with their owners.  For comparing
  /// balancers.  O(points), not kept.
  uint64_t Checksum() const;
  /// Of the points and their index.
  size_t memory_bytes() const { return index_->memory_bytes(); }

 private:
  struct Configuration;  // What does not depend on who is alive.

  Ring(std::shared_ptr<const Configuration> configuration, std::shared_ptr<const PointIndex> index,
       uint64_t weight_sum);

  size_t Find(uint64_t hash) const noexcept { return index_->Find(hash << spare_bits_); }

  std::shared_ptr<const PointIndex> index_;
  int spare_bits_;       // Positions are hashes moved up to the top of 64 bits.
  uint64_t weight_sum_;  // Of the nodes alive.
  std::shared_ptr<const Configuration> configuration_;
};

}  // namespace ring
