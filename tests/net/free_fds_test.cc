// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/free_fds.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

TEST(AreFdsFreeTest, TellsHowManyAndKeepsNone) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  UniqueFd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const rlimit low = {static_cast<rlim_t>(first.get()) + 8, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<UniqueFd> rest;
  do {
    rest.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  } while (rest.back());
  EXPECT_FALSE(AreFdsFree(1));
  rest.clear();
  first.Reset();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(AreFdsFree(2));
  rest.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(rest.back());
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace l4lb
