// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/pictures.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "glog/logging.h"
#include "maglev/table.h"
#include "ring/hash.h"
#include "tools/lookup/subject.h"

namespace l4lb::lookup {
namespace {

constexpr uint32_t kSlots = 65537;
constexpr uint32_t kTableNodes = 10;
constexpr uint32_t kGone = 5;
constexpr uint32_t kRingNodes = 8;
constexpr uint32_t kRingPoints = 1024;

maglev::Table TableOf(const std::vector<uint32_t>& ids) {
  std::vector<maglev::Node> nodes;
  for (const uint32_t id : ids) nodes.push_back({KeyOf({.id = id}), 1});
  absl::StatusOr<maglev::Table> table = maglev::Table::Build(nodes, {.size = kSlots});
  CHECK(table.ok()) << table.status();
  return *std::move(table);
}

// A byte for each slot: the id of its owner, where `ids` are those that the table was built of.
std::string Owners(const maglev::Table& table, const std::vector<uint32_t>& ids) {
  std::string owners;
  for (uint32_t slot = 0; slot < table.size(); ++slot) {
    owners += static_cast<char>(ids[table.input_position(table.owner(slot))]);
  }
  return absl::Base64Escape(owners);
}

maglev::Table WithoutGone(const maglev::Table& table) {
  const std::unique_ptr<bool[]> alive(new bool[table.nodes()]);
  for (uint32_t i = 0; i < table.nodes(); ++i) alive[i] = table.input_position(i) != kGone;
  absl::StatusOr<maglev::Table> overlay =
      table.WithAlive(absl::MakeConstSpan(alive.get(), table.nodes()));
  CHECK(overlay.ok()) << overlay.status();
  return *std::move(overlay);
}

}  // namespace

nlohmann::ordered_json MaglevPicture() {
  std::vector<uint32_t> all;
  std::vector<uint32_t> rest;
  for (uint32_t id = 0; id < kTableNodes; ++id) {
    all.push_back(id);
    if (id != kGone) rest.push_back(id);
  }
  const maglev::Table table = TableOf(all);
  return {{"nodes", kTableNodes},
          {"size", kSlots},
          {"gone", kGone},
          {"before", Owners(table, all)},
          {"removed", Owners(TableOf(rest), rest)},
          {"dead", Owners(WithoutGone(table), all)}};
}

nlohmann::ordered_json RingPicture() {
  std::string positions;
  std::vector<uint64_t> points(kRingPoints);
  for (uint32_t id = 0; id < kRingNodes; ++id) {
    ring::Xxh3Points(KeyOf({.id = id}), 0, absl::MakeSpan(points));
    for (const uint64_t point : points) {
      for (int byte = 4; byte < 8; ++byte) positions += static_cast<char>(point >> (8 * byte));
    }
  }
  return {
      {"nodes", kRingNodes}, {"points", kRingPoints}, {"positions", absl::Base64Escape(positions)}};
}

}  // namespace l4lb::lookup
