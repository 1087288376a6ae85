// SPDX-License-Identifier: Apache-2.0
//
// What libketama and libmemcached make of the same eight servers.  "server" .N is 10.0.1.N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace golden {

/// Weights 600, 300, 200, 350, 1000, 800, 950, 100 of 10.0.1.1 to 10.0.1.8 give so many MD5s each,
/// of four points (libketama: floor(weight / sum x 40 x servers)).
inline constexpr uint32_t kKetamaDigests[8] = {44, 22, 14, 26, 74, 59, 70, 7};
inline constexpr size_t kKetamaPoints = 1264;

struct KetamaPoint {
  uint32_t point;
  int server;
};
struct KetamaKey {
  std::string_view key;
  uint32_t hash;
  uint32_t point;
  int server;
};

/// github.com/RJ/ketama, libketama (names with ":11211").
inline constexpr KetamaPoint kLibketamaLowest[] = {
    {762113, 5}, {2322555, 5}, {3967256, 6}, {4398564, 4}};
inline constexpr KetamaPoint kLibketamaHighest[] = {{4290842419, 7}, {4293620028, 5}};
inline constexpr KetamaKey kLibketamaKeys[] = {
    {"0", 2216742351, 2217271743, 1},    {"1", 943901380, 949045552, 5},
    {"12", 3620997826, 3621580689, 7},   {"foo", 3675831724, 3676851683, 7},
    {"bar", 421377335, 425867331, 6},    {"test", 3446378249, 3447314120, 4},
    {"VDEAAAAA", 4294758837, 762113, 5},
};
/// libketama/test.sh: the MD5 of what its test prints, an empty line and for each key from 0 to
/// 999999 a line "hash point server".
inline constexpr uint32_t kLibketamaMapKeys = 1000000;
inline constexpr std::string_view kLibketamaMapMd5 = "5672b131391f5aa2b280936aec1eea74";

/// github.com/RJ/ketama, python_ketama/tests.py: 127.0.0.1:11211 of weight 600 and :11212 of 400.
inline constexpr uint32_t kPythonKetamaDigests[2] = {48, 32};
inline constexpr size_t kPythonKetamaPoints = 320;
inline constexpr uint32_t kPythonKetamaPointOfTest = 3454255383;  // Of the first server.

/// github.com/awesomized/libmemcached, test/fixtures/ketama.hpp (names without the port).
inline constexpr KetamaPoint kLibmemcachedLowest[] = {{2148620, 3}, {3283091, 5}, {6739652, 5}};
inline constexpr KetamaKey kLibmemcachedKeys[] = {
    {"SVa_]_V41)", 443691461, 445379617, 7},   {"*/Z;?V(.\\8", 1422915503, 1428303028, 1},
    {"30C1*Z*S/_", 1473165754, 1480075959, 2}, {"ERR:EC58G>", 2148406511, 2168579133, 7},
    {"1I=cTMNTKF", 2882686667, 2885206587, 5}, {"P1[Ma3=K1/", 1989324036, 1994028240, 8},
    {"D[HE+cFXDK", 2117036136, 2117124014, 3}, {"EM75N0+[X1", 1558531507, 1559308507, 4},
};

}  // namespace golden
