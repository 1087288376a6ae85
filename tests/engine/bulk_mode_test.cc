// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/bulk_mode.h"

#include <gtest/gtest.h>

namespace l4lb {
namespace {

constexpr size_t kBuffer = 16 << 10;

BulkMode InBulk() {
  BulkMode mode;
  for (int i = 0; i < BulkMode::kFullReads; ++i) mode.OnCopy(kBuffer, kBuffer);
  return mode;
}

TEST(BulkModeTest, GoesOverAfterFullReadsInARowOnly) {
  BulkMode mode;
  for (int i = 0; i < 10; ++i) {
    mode.OnCopy(kBuffer, kBuffer);
    mode.OnCopy(kBuffer, kBuffer);
    EXPECT_FALSE(mode.bulk());
    mode.OnCopy(kBuffer - 1, kBuffer);
  }
  EXPECT_TRUE(InBulk().bulk());
}

TEST(BulkModeTest, ComesBackAfterSmallSplicesInARowOnly) {
  BulkMode mode = InBulk();
  for (int i = 0; i < 10; ++i) {
    mode.OnSplice(BulkMode::kSmallSplice - 1);
    EXPECT_TRUE(mode.bulk());
    mode.OnSplice(BulkMode::kSmallSplice);
  }
  mode.OnSplice(1);
  mode.OnSplice(1);
  EXPECT_FALSE(mode.bulk());
}

TEST(BulkModeTest, ComesBackAfterSilence) {
  BulkMode mode = InBulk();
  mode.OnSilence(BulkMode::kSilenceMs);
  EXPECT_TRUE(mode.bulk());
  mode.OnSilence(BulkMode::kSilenceMs + 1);
  EXPECT_FALSE(mode.bulk());
  mode.OnCopy(kBuffer, kBuffer);
  EXPECT_FALSE(mode.bulk()) << "the count starts anew";
}

TEST(BulkModeTest, ForbiddenForGood) {
  BulkMode mode = InBulk();
  mode.Forbid();
  EXPECT_FALSE(mode.bulk());
  for (int i = 0; i < 1000; ++i) mode.OnCopy(kBuffer, kBuffer);
  EXPECT_FALSE(mode.bulk());
}

}  // namespace
}  // namespace l4lb
