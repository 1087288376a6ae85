// SPDX-License-Identifier: Apache-2.0
//
// libketama's and libmemcached's rings.  Their points depend on the whole list of servers; here
// that is given as weights, of four points each.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ring/ring.h"
#include "tests/golden/ketama_vectors.h"
#include "tests/ring/md5_text.h"

namespace ring {
namespace {

constexpr Options kOptions = {.points = 4, .hash = kKetama};

std::string Address(int server) { return "10.0.1." + std::to_string(server); }

Ring EightServers(const std::string& port) {
  std::vector<Node> nodes;
  for (int server = 1; server <= 8; ++server) {
    nodes.push_back({Address(server) + port, golden::kKetamaDigests[server - 1]});
  }
  return *Ring::Build(nodes, kOptions);
}

// The point at or after `hash`.
uint64_t PointOf(const Ring& ring, uint64_t hash) {
  for (size_t i = 0; i < ring.points(); ++i) {
    if (ring.point(i) >= hash) return ring.point(i);
  }
  return ring.point(0);
}

template <size_t kCount>
void ExpectKeys(const Ring& ring, const golden::KetamaKey (&keys)[kCount],
                const std::string& port) {
  for (const auto& [key, hash, point, server] : keys) {
    EXPECT_EQ(ring.HashOf(key), hash) << key;
    EXPECT_EQ(PointOf(ring, hash), point) << key;
    EXPECT_EQ(ring.key(ring.Lookup(key)), Address(server) + port) << key;
  }
}

void ExpectPoint(const Ring& ring, size_t i, const golden::KetamaPoint& expected,
                 const std::string& port) {
  EXPECT_EQ(ring.point(i), expected.point);
  EXPECT_EQ(ring.key(ring.point_node(i)), Address(expected.server) + port);
}

TEST(KetamaTest, Libketama) {
  const std::string port = ":11211";
  const Ring ring = EightServers(port);
  EXPECT_EQ(ring.points(), golden::kKetamaPoints);
  for (size_t i = 0; i < std::size(golden::kLibketamaLowest); ++i) {
    ExpectPoint(ring, i, golden::kLibketamaLowest[i], port);
  }
  ExpectPoint(ring, ring.points() - 2, golden::kLibketamaHighest[0], port);
  ExpectPoint(ring, ring.points() - 1, golden::kLibketamaHighest[1], port);
  ExpectKeys(ring, golden::kLibketamaKeys, port);
}

TEST(KetamaTest, AMillionKeysOfLibketama) {
  const Ring ring = EightServers(":11211");
  std::vector<uint64_t> points;
  for (size_t i = 0; i < ring.points(); ++i) points.push_back(ring.point(i));
  std::string map = "\n";
  for (uint32_t key = 0; key < golden::kLibketamaMapKeys; ++key) {
    const uint64_t hash = ring.HashOf(std::to_string(key));
    const auto found = std::lower_bound(points.begin(), points.end(), hash);
    map += std::to_string(hash) + " ";
    map += std::to_string(found == points.end() ? points[0] : *found) + " ";
    map += ring.key(ring.Lookup(hash)) + "\n";
  }
  EXPECT_EQ(Md5Text(map), golden::kLibketamaMapMd5);
}

TEST(KetamaTest, PythonKetama) {
  const Ring ring = *Ring::Build({{"127.0.0.1:11211", golden::kPythonKetamaDigests[0]},
                                  {"127.0.0.1:11212", golden::kPythonKetamaDigests[1]}},
                                 kOptions);
  EXPECT_EQ(ring.points(), golden::kPythonKetamaPoints);
  EXPECT_EQ(PointOf(ring, ring.HashOf("test")), golden::kPythonKetamaPointOfTest);
  EXPECT_EQ(ring.key(ring.Lookup("test")), "127.0.0.1:11211");
}

TEST(KetamaTest, Libmemcached) {
  const Ring ring = EightServers("");
  for (size_t i = 0; i < std::size(golden::kLibmemcachedLowest); ++i) {
    ExpectPoint(ring, i, golden::kLibmemcachedLowest[i], "");
  }
  ExpectKeys(ring, golden::kLibmemcachedKeys, "");
}

}  // namespace
}  // namespace ring
