// SPDX-License-Identifier: Apache-2.0
#include "tools/load/pattern.h"

#include <string.h>

#include <algorithm>
#include <cstring>

#include "tools/load/mix.h"

namespace l4lb::load {
namespace {

// Eight bytes occur by chance in a text of 2^20 with probability 2^-44.
constexpr size_t kEnoughToTell = 8;

}  // namespace

Pattern::Pattern() : text_(kPeriod + kRun) {
  for (size_t i = 0; i < kPeriod; i += sizeof(uint64_t)) {
    const uint64_t word = Mixed(i);
    std::memcpy(&text_[i], &word, std::min(sizeof(word), text_.size() - i));
  }
  std::copy_n(text_.begin(), kRun, text_.begin() + kPeriod);
}

uint64_t Pattern::Start(uint64_t key) { return key == 0 ? 0 : Mixed(key) % kPeriod; }

std::optional<size_t> Pattern::FirstWrong(uint64_t key, uint64_t position, const char* data,
                                          size_t size) const {
  for (size_t done = 0; done < size;) {
    const size_t run = std::min(size - done, kRun);
    const char* right = At(key, position + done);
    if (std::memcmp(data + done, right, run) != 0) {
      const char* wrong = std::mismatch(right, right + run, data + done).second;
      return static_cast<size_t>(wrong - data);
    }
    done += run;
  }
  return std::nullopt;
}

std::optional<int64_t> Pattern::Shift(uint64_t key, uint64_t position, const char* data,
                                      size_t size) const {
  if (size < kEnoughToTell) return std::nullopt;
  const void* found = memmem(text_.data(), text_.size(), data, std::min(size, 2 * kEnoughToTell));
  if (found == nullptr) return std::nullopt;
  const int64_t period = kPeriod;
  const int64_t is = (static_cast<const char*>(found) - text_.data()) % period;
  const int64_t expected = static_cast<int64_t>((Start(key) + position) % kPeriod);
  const int64_t ahead = (is - expected + period) % period;
  return ahead > period / 2 ? ahead - period : ahead;
}

}  // namespace l4lb::load
