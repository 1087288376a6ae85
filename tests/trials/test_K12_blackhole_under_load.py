# SPDX-License-Identifier: Apache-2.0
"""K12: a black hole under load must not hurt those whom others serve.

The first backend is a black hole, the second echoes; round robin, checks every second; connect
time-out 1 s.  200 new clients a second for 10 s (in CI 100 for 3 s), from before anybody knows.
Expected: before the black hole is down each client is served within connect time-out + 100 ms; none
of those that come later is sent there, the 99th percentile of what they wait is at most 20 ms (in
CI the median), and the daemon takes at most 40 % of a core (in CI that is only printed).
"""

import statistics
import time

from kit import STRICT, Blackhole, Echo, limit, only_l4lb, scaled
from kit.api import Api
from kit.arrivals import Arrivals, Plan
from kit.health import await_health, every, out_within

A_SECOND, SECONDS, SEED = scaled(100, 200), scaled(3, 10), 12
CONNECT_TIMEOUT, INTERVAL = 1, 1


@only_l4lb
def test_K12_blackhole_under_load(stage, way):
    hole, echo = stage.backend(Blackhole()), stage.backend(Echo(forked=True))
    # What clients meet is not to take it out first.
    target = stage.target(way, [hole, echo], health_check=every(INTERVAL, timeout="500ms"),
                          connect_timeout=f"{CONNECT_TIMEOUT}s", eject={"max_ejected": "0%"})
    crowd = Arrivals(stage, target.address, Plan(A_SECOND, SEED, patience=limit(5)))
    begun = time.monotonic()
    await_health(Api(target), "b1", "down", limit(out_within(INTERVAL)))
    down_at = time.monotonic()
    tried = target.pool()["backends"]["b1"]["failures"]
    assert tried > 0
    cpu = target.cpu(max(1.0, begun + SECONDS - time.monotonic()))
    visits = crowd.finish(limit(5))
    assert {visit.end for visit in visits} == {"served"}
    before = [visit.seconds for visit in visits if visit.begin < down_at]
    late = {visit.client: visit.seconds for visit in visits if visit.begin >= down_at}
    after = list(late.values())
    slow = statistics.quantiles(after, n=100)[98]
    print(f"{len(before)} before, at most {max(before):.3f} s; {len(after)} after, 99th "
          f"percentile {slow * 1000:.1f} ms; {cpu:.1f} % CPU")
    assert max(before) <= limit(CONNECT_TIMEOUT + 0.1) and max(before) >= CONNECT_TIMEOUT
    assert statistics.median(after) <= limit(0.02) and (slow <= 0.02 or not STRICT)
    attempts = [line["attempts"] for line in target.access_log(len(visits))
                if line["client"] in late]
    assert attempts == [1] * len(late)
    assert not STRICT or cpu <= 40
    target.expect_reasons(client_fin=len(visits))
    target.quiet()
