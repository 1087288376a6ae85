// SPDX-License-Identifier: Apache-2.0
//
// Envoy's rings, made by a hash of our own: point i of a host is the hash of "host_i".

#include <gtest/gtest.h>

#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ring/ring.h"
#include "tests/golden/envoy_ring_vectors.h"
#include "tests/golden/reference_hashes.h"

namespace ring {
namespace {

uint64_t Xxh64(std::string_view bytes, uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

uint64_t Murmur(std::string_view bytes, uint64_t /*seed*/) {
  return golden::Murmur64A(bytes, golden::kEnvoyMurmurSeed);
}

template <uint64_t (*kHash)(std::string_view, uint64_t)>
void EnvoyPoints(std::string_view key, uint64_t seed, absl::Span<uint64_t> points) {
  for (size_t i = 0; i < points.size(); ++i) {
    points[i] = kHash(std::string(key) + "_" + std::to_string(i), seed);
  }
}

constexpr Hash kXxh64Ring = {64, EnvoyPoints<Xxh64>, Xxh64};
constexpr Hash kMurmurRing = {64, EnvoyPoints<Murmur>, Murmur};

std::string Host(int port) { return "127.0.0.1:" + std::to_string(port); }

Ring Hosts(int first_port, const std::vector<uint32_t>& points, const Hash& hash) {
  std::vector<Node> nodes;
  for (const uint32_t count : points) nodes.push_back({Host(first_port++), count});
  return *Ring::Build(nodes, {.points = 1, .hash = hash});
}

template <size_t kCount>
void ExpectRing(const Ring& ring, const golden::EnvoyPoint (&points)[kCount]) {
  ASSERT_EQ(ring.points(), kCount);
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(ring.point(i), points[i].point) << i;
    EXPECT_EQ(ring.key(ring.point_node(i)), Host(points[i].port)) << i;
  }
}

TEST(EnvoyRingTest, Rings) {
  const std::vector<uint32_t> two_each(6, 2);
  ExpectRing(Hosts(90, two_each, kXxh64Ring), golden::kEnvoyXxh64Ring);
  ExpectRing(Hosts(80, two_each, kMurmurRing), golden::kEnvoyMurmurRing);
  ExpectRing(Hosts(80, {2, 2}, kXxh64Ring), golden::kEnvoySmallRing);
}

TEST(EnvoyRingTest, Lookups) {
  const Ring ring = Hosts(90, std::vector<uint32_t>(6, 2), kXxh64Ring);
  for (const auto& [port, hash] : golden::kEnvoyXxh64Lookups) {
    EXPECT_EQ(ring.key(ring.Lookup(hash)), Host(port)) << hash;
  }
}

TEST(EnvoyRingTest, SharesByWeight) {
  for (const golden::EnvoyShares& shares : golden::kEnvoyShares) {
    const std::vector<uint32_t> points(shares.points, shares.points + shares.hosts);
    const Ring ring = Hosts(90, points, kXxh64Ring);
    std::vector<uint32_t> served(shares.hosts);
    for (uint64_t i = 0; i < shares.hashes; ++i) {
      ++served[ring.Lookup(i * (UINT64_MAX / shares.hashes))];
    }
    EXPECT_EQ(served, std::vector<uint32_t>(shares.served, shares.served + shares.hosts));
  }
}

}  // namespace
}  // namespace ring
