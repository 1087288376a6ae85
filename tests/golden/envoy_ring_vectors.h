// SPDX-License-Identifier: Apache-2.0
//
// Envoy, test/extensions/load_balancing_policies/ring_hash/ring_hash_lb_test.cc: point i of a host
// is the hash of "127.0.0.1:PORT_i".
#pragma once

#include <cstdint>

namespace golden {

struct EnvoyPoint {
  int port;
  uint64_t point;
};

/// XXH64, ports 90 to 95, two points each.
inline constexpr EnvoyPoint kEnvoyXxh64Ring[] = {
    {94, 833437586790550860},    {92, 928266305478181108},    {90, 1033482794131418490},
    {95, 3551244743356806947},   {93, 3851675632748031481},   {91, 5583722120771150861},
    {91, 6311230543546372928},   {93, 7700377290971790572},   {95, 13144177310400110813u},
    {92, 13444792449719432967u}, {94, 15516499411664133160u}, {90, 16117243373044804889u}};
/// Of that ring: hash and the port that serves it.
inline constexpr EnvoyPoint kEnvoyXxh64Lookups[] = {
    {94, 0}, {94, UINT64_MAX}, {95, 3551244743356806947}, {93, 3551244743356806948}};

/// MurmurHash64A with this seed, ports 80 to 85, two points each.
inline constexpr uint64_t kEnvoyMurmurSeed = 0xc70f6907;
inline constexpr EnvoyPoint kEnvoyMurmurRing[] = {
    {85, 1358027074129602068},   {83, 4361834613929391114},   {84, 7224494972555149682},
    {81, 7701421856454313576},   {82, 8649315368077433379},   {84, 8739448859063030639},
    {81, 9887544217113020895u},  {82, 10150910876324007731u}, {83, 15168472011420622455u},
    {80, 15427156902705414897u}, {85, 16375050414328759093u}, {80, 17613279263364193813u}};

/// A ring of at least three points of two hosts, ports 80 and 81: four points.
inline constexpr EnvoyPoint kEnvoySmallRing[] = {{80, 5454692015285649509},
                                                 {81, 7859399908942313493},
                                                 {80, 13838424394637650569u},
                                                 {81, 16064866803292627174u}};

/// Hosts from port 90 with so many points (XXH64); of `hashes` hashes in even steps over all 64-bit
/// numbers, how many each one serves.
struct EnvoyShares {
  uint32_t hosts;
  uint32_t points[4];
  uint32_t hashes;
  uint32_t served[4];
};
inline constexpr EnvoyShares kEnvoyShares[] = {
    {3, {1024, 2048, 3072}, 6000, {987, 1932, 3081}},
    {2, {512, 511}, 1023, {526, 497}},
    {4, {1024, 2048, 2048, 4096}, 9000, {924, 2009, 2053, 4014}},
};

}  // namespace golden
