// SPDX-License-Identifier: Apache-2.0
//
// Maglev tables that others have published.  A table is written as one digit per slot: the node
// that owns it.
#pragma once

#include <cstdint>
#include <string_view>

namespace golden {

/// Eisenbud et al., "Maglev: a fast and reliable software network load balancer", NSDI 2016,
/// table 1: 7 slots, (offset, skip) of B0, B1, B2.
inline constexpr uint32_t kPaperPermutations[3][2] = {{3, 4}, {0, 2}, {3, 1}};
inline constexpr std::string_view kPaperSlotsOfEach[3] = {"3041526", "0246135", "3456012"};
inline constexpr std::string_view kPaperBefore = "1010220";
inline constexpr std::string_view kPaperWithoutB1 = "0000222";

/// github.com/dgryski/go-maglev, tests: "backend-0" to "backend-2", 7 slots, SipHash-2-4 with these
/// keys; offset from the upper half of the hash, skip from the lower.
inline constexpr uint64_t kGoMaglevSipKeys[2] = {0xdeadbeefcafebabe, 0};
inline constexpr uint32_t kGoMaglevPermutations[3][2] = {{2, 4}, {0, 5}, {1, 2}};
inline constexpr std::string_view kGoMaglevSlotsOfEach[3] = {"2630415", "0531642", "1350246"};
inline constexpr std::string_view kGoMaglevTable = "1202010";
inline constexpr std::string_view kGoMaglevWithout1 = "0202020";

/// The reference vector of SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
/// 2012, appendix A): key 00 01 .. 0f, input 00 01 .. 0e.
inline constexpr uint64_t kSipHashOfPaper = 0xa129ca6149be45e5;

/// Envoy, test/extensions/load_balancing_policies/maglev/maglev_lb_test.cc.  Node i has the key
/// 127.0.0.1:(90 + i).
inline constexpr std::string_view kEnvoySixHosts = "2401503";
inline constexpr std::string_view kEnvoySixHashKeys = "2503410";  // Keys "90" to "95".
inline constexpr std::string_view kEnvoyTwoEqual = "10010110010100101";
inline constexpr std::string_view kEnvoyWeights1And2 = "10010110111110101";
inline constexpr std::string_view kEnvoyLocalityWeights8And2 = "10000010010100000";
/// By attempt: who serves hash 10 among the six hosts when it is tried again.
inline constexpr uint32_t kEnvoyRetriesOfHash10[] = {1, 0, 5};
/// Envoy's documentation of Maglev: shares of weights 1 and 2 of 65537 slots.
inline constexpr uint32_t kEnvoySharesOfWeights1And2[] = {21846, 43691};

/// Katran, katran/lib/tests (MaglevTest, VipTest): 65537 slots, real i has hash i.
/// What changes among 100 reals of weight 10.
struct KatranDelta {
  std::string_view what;
  uint32_t v1;
  uint32_t v2;
};
inline constexpr KatranDelta kKatranWithoutReal0 = {"real 0 is deleted", 1009, 1020};
inline constexpr KatranDelta kKatranAllTo13 = {"all weights from 10 to 13", 17, 0};
inline constexpr KatranDelta kKatranReal0To26 = {"then real 0 from 13 to 26", 109, 1013};
inline constexpr KatranDelta kKatranSecondReal = {"one real gets a second", 32768, 32768};
inline constexpr uint32_t kKatranWeights[] = {2, 1, 1};
inline constexpr uint32_t kKatranV1Shares[] = {21847, 21845, 21845};
inline constexpr uint32_t kKatranV2Shares[] = {32769, 16384, 16384};

/// Cilium, pkg/maglev/maglev_test.go: 251 slots, the default seed.  Backend (i, weight, id) has the
/// hash string [0.0.0.i:i/TCP,State:active].
struct CiliumBackend {
  int i;
  uint32_t weight;
  char id;
};
inline constexpr CiliumBackend kCiliumBackends[] = {
    {1, 2, '0'}, {3, 13, '1'}, {4, 111, '2'}, {5, 10, '3'}};
inline constexpr uint32_t kCiliumSeed = 0x24b7ef82;  // The first bytes of "JLfvgnHc2kaSUFaI".
/// id(how many slots in a row).
inline constexpr std::string_view kCiliumTable =
    "2(5),3(1),2(3),1(1),2(2),0(1),2(1),3(1),2(1),3(1),2(1),1(1),2(7),1(1),2(14),3(1),2(1),1(2),"
    "2(12),3(1),2(3),1(1),2(4),3(1),2(8),3(1),2(2),1(1),2(16),1(2),2(3),3(1),2(11),1(2),2(4),3(1),"
    "2(3),1(1),2(4),3(1),2(1),0(1),1(1),2(8),1(1),2(7),1(1),2(4),3(1),2(1),3(1),2(9),1(2),2(5),"
    "1(1),2(7),3(1),2(1),3(1),1(1),2(8),1(1),2(4),0(1),2(1),1(1),2(5),3(1),2(3),1(1),2(4),3(1),"
    "2(3),1(1),2(12),0(1),3(1),2(3),3(1),2(4),3(1),2(2),1(1),2(7)";
inline constexpr uint32_t kCiliumSharesOf1021[] = {16, 98, 832, 75};

}  // namespace golden
