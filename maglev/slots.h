// SPDX-License-Identifier: Apache-2.0
//
// Which node owns which slot, in one, two or four bytes per slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace maglev {

class Slots {
 public:
  /// All slots are owned by node 0.  Nodes to be stored are below `nodes`.
  Slots(uint32_t size, size_t nodes)
      : width_shift_(nodes <= 0x100     ? 0
                     : nodes <= 0x10000 ? 1
                                        : 2),
        mask_(width_shift_ == 0   ? 0xff
              : width_shift_ == 1 ? 0xffff
                                  : 0xffffffff),
        size_(size),
        bytes_((size_t{size} << width_shift_) + kPadding) {}

  uint32_t size() const noexcept { return size_; }

  /// One load whatever the width: bytes beyond the slot are masked.
  uint32_t owner(uint32_t slot) const noexcept {
    const uint8_t* at = bytes_.data() + (size_t{slot} << width_shift_);
    const auto word = static_cast<uint32_t>(at[0]) | static_cast<uint32_t>(at[1]) << 8 |
                      static_cast<uint32_t>(at[2]) << 16 | static_cast<uint32_t>(at[3]) << 24;
    return word & mask_;
  }

  void SetOwner(uint32_t slot, uint32_t node) {
    uint8_t* at = bytes_.data() + (size_t{slot} << width_shift_);
    at[0] = static_cast<uint8_t>(node);
    if (width_shift_ == 0) return;
    at[1] = static_cast<uint8_t>(node >> 8);
    if (width_shift_ == 1) return;
    at[2] = static_cast<uint8_t>(node >> 16);
    at[3] = static_cast<uint8_t>(node >> 24);
  }

  /// All owners in order, least byte first: the same on every machine.
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size() - kPadding};
  }
  size_t memory_bytes() const { return bytes_.capacity(); }

  bool operator==(const Slots& other) const { return bytes_ == other.bytes_; }

 private:
  static constexpr size_t kPadding = 3;  // What owner() of the last slot loads beyond it.

  uint32_t width_shift_;
  uint32_t mask_;
  uint32_t size_;
  std::vector<uint8_t> bytes_;
};

}  // namespace maglev
