// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/waits.h"

#include <errno.h>
#include <gtest/gtest.h>

#include "tests/backend/pool_fixture.h"

namespace l4lb {
namespace {

TEST(WaitsTest, ALeaseForAnUnknownTicketIsGivenBack) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}});
  Mail mail;
  Backend& backend = *snapshot->members[0].backend;
  mail.waits.Deliver(77, snapshot->pool->TryAcquire(backend));
  EXPECT_EQ(backend.active(), 0);
}

TEST(WaitsTest, AllThatWereCancelledEnd) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}});
  const Lease held = snapshot->pool->TryAcquire(*snapshot->members[0].backend);
  Mail mail;
  TrackedWait waits[3];
  for (TrackedWait& wait : waits) ASSERT_TRUE(mail.waits.Begin(*snapshot->pool, wait));
  for (TrackedWait& wait : waits) mail.waits.Cancel(wait);
  mail.waits.EndCancelled();
  for (TrackedWait& wait : waits) {
    EXPECT_EQ(wait.ends, 1);
    EXPECT_EQ(wait.error, ECANCELED);
    EXPECT_FALSE(wait.in_flight);
  }
}

TEST(WaitsTest, CancellingWhatIsNotInFlightDoesNothing) {
  Mail mail;
  TrackedWait wait;
  mail.waits.Cancel(wait);
  mail.waits.EndCancelled();
  EXPECT_EQ(wait.ends, 0);
}

}  // namespace
}  // namespace l4lb
