// SPDX-License-Identifier: Apache-2.0
#include "tools/load/ask.h"

#include <cstring>

namespace l4lb::load {
namespace {

// Both ends are l4lb-load.  Where their byte orders differ the magic does too, and is refused.
constexpr uint32_t kMagic = 0x4c344c01;  // "L4L", version 1

enum Flag : uint8_t { kVerify = 1, kCloseFirst = 2, kResetAtLimit = 4 };

struct Wire {
  uint32_t magic;
  uint8_t mode;
  uint8_t flags;
  uint16_t unused;
  uint32_t size;
  uint32_t unused_too;
  uint64_t limit;
  uint64_t key;
};
static_assert(sizeof(Wire) == Ask::kSize);
static_assert(sizeof(Verdict) == Verdict::kSize);

}  // namespace

Ask::Bytes Ask::ToBytes() const {
  Wire wire = {.magic = kMagic, .mode = static_cast<uint8_t>(mode), .size = size};
  wire.flags = static_cast<uint8_t>((verify ? kVerify : 0) | (close_first ? kCloseFirst : 0) |
                                    (fate == Fate::kReset ? kResetAtLimit : 0));
  wire.limit = limit;
  wire.key = key;
  Bytes bytes;
  std::memcpy(bytes.data(), &wire, sizeof(wire));
  return bytes;
}

std::optional<Ask> Ask::FromBytes(const Bytes& bytes) {
  Wire wire;
  std::memcpy(&wire, bytes.data(), sizeof(wire));
  if (wire.magic != kMagic || wire.mode >= static_cast<uint8_t>(Mode::kAsk)) return std::nullopt;
  Ask ask;
  ask.mode = static_cast<Mode>(wire.mode);
  ask.verify = (wire.flags & kVerify) != 0;
  ask.close_first = (wire.flags & kCloseFirst) != 0;
  ask.fate = (wire.flags & kResetAtLimit) != 0 ? Fate::kReset : Fate::kFinish;
  ask.size = wire.size;
  ask.limit = wire.limit;
  ask.key = wire.key;
  return ask;
}

Verdict::Bytes Verdict::ToBytes() const {
  Bytes bytes;
  std::memcpy(bytes.data(), this, kSize);
  return bytes;
}

Verdict Verdict::FromBytes(const Bytes& bytes) {
  Verdict verdict;
  std::memcpy(&verdict, bytes.data(), kSize);
  return verdict;
}

}  // namespace l4lb::load
