// SPDX-License-Identifier: Apache-2.0
#include "ring/shared_ring.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace ring {
namespace {

std::vector<Node>::const_iterator Find(const std::vector<Node>& nodes, std::string_view key) {
  return std::find_if(nodes.begin(), nodes.end(),
                      [&](const Node& node) { return node.key == key; });
}

std::string Quoted(std::string_view key) {
  return absl::StrCat("\"", absl::CHexEscape({key.data(), key.size()}), "\"");
}

absl::Status Empty() { return absl::FailedPreconditionError("the ring is empty"); }

}  // namespace

SharedRing::SharedRing(const Options& options)
    : options_(options), ring_(std::make_unique<const std::optional<Ring>>()) {}

absl::Status SharedRing::Add(const Node& node) {
  if (node.weight == 0) {
    return absl::InvalidArgumentError(absl::StrCat("the weight of ", Quoted(node.key), " is 0"));
  }
  const std::lock_guard<std::mutex> lock(changing_);
  if (Find(nodes_, node.key) != nodes_.end()) {
    return absl::AlreadyExistsError(absl::StrCat(Quoted(node.key), " is on the ring"));
  }
  std::vector<Node> nodes = nodes_;
  nodes.push_back(node);
  return Rebuild(std::move(nodes));
}

absl::Status SharedRing::Remove(std::string_view key) {
  const std::lock_guard<std::mutex> lock(changing_);
  const auto found = Find(nodes_, key);
  if (found == nodes_.end()) {
    return absl::NotFoundError(absl::StrCat(Quoted(key), " is not on the ring"));
  }
  std::vector<Node> nodes = nodes_;
  nodes.erase(nodes.begin() + (found - nodes_.begin()));
  return Rebuild(std::move(nodes));
}

absl::Status SharedRing::Rebuild(std::vector<Node> nodes) {
  std::optional<Ring> ring;
  if (!nodes.empty()) {
    absl::StatusOr<Ring> built = Ring::Build(nodes, options_);
    if (!built.ok()) return built.status();
    ring = *std::move(built);
  }
  ring_.Replace(std::make_unique<const std::optional<Ring>>(std::move(ring)));
  nodes_ = std::move(nodes);
  return absl::OkStatus();
}

absl::StatusOr<std::string> SharedRing::Lookup(std::string_view bytes) const {
  return Read([&](const Ring* ring) -> absl::StatusOr<std::string> {
    if (ring == nullptr) return Empty();
    return ring->key(ring->Lookup(bytes));
  });
}

absl::StatusOr<std::vector<std::string>> SharedRing::Replicas(std::string_view bytes,
                                                              size_t count) const {
  return Read([&](const Ring* ring) -> absl::StatusOr<std::vector<std::string>> {
    if (ring == nullptr) return Empty();
    std::vector<uint32_t> nodes(std::min(count, ring->nodes()));
    nodes.resize(ring->Replicas(ring->HashOf(bytes), absl::MakeSpan(nodes)));
    std::vector<std::string> keys;
    keys.reserve(nodes.size());
    for (const uint32_t node : nodes) keys.push_back(ring->key(node));
    return keys;
  });
}

std::optional<Ring> SharedRing::Snapshot() const {
  return Read(
      [](const Ring* ring) { return ring == nullptr ? std::nullopt : std::optional(*ring); });
}

}  // namespace ring
