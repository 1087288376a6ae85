# SPDX-License-Identifier: Apache-2.0
"""K07: the checks of many backends do not fire at the same moment.

100 backends, 127.0.2.1 to 127.0.2.100, in one process; checks every 2 s; their times are recorded
for 12 s from the start.  Expected: the first round is complete within one interval and the time-
out; after it no 100 ms hold more than 25 checks (in CI 50: a machine that stands still for a second
looks like that), and there are 50 +- 5 a second (in CI at least 30).  Each backend is asked every 2
s +- 5 %, and not in step with the others.
"""

import statistics
import time

from kit import STRICT, Script, limit, only_l4lb, receive, scaled, wait_until

BACKENDS, INTERVAL, SECONDS = 100, 2.0, scaled(5, 12)
JITTER = 0.05
BUCKET, MOST = 0.1, scaled(50, 25)


def record(sock, _index):
    """Result: when it was asked, and which of the backends."""
    now = time.monotonic()
    receive(sock, limit(5))
    return now, sock.getsockname()[0]


def start(stage, way):
    recorder = stage.backend(Script(record, host="0.0.0.0", forked=True))
    pool = {"name": "default", "policy": "round_robin",
            "health_check": {"type": "tcp", "interval": "2s", "timeout": "1s"},
            "backends": [{"name": f"b{i}", "address": f"127.0.2.{i}:{recorder.port}"}
                         for i in range(1, BACKENDS + 1)]}
    begin = time.monotonic()
    return stage.target(way, [], pools=[pool]), recorder, begin


def gaps(times):
    return [after - before for before, after in zip(times, times[1:])]


@only_l4lb
def test_K07_spread(stage, way):
    target, recorder, begin = start(stage, way)
    time.sleep(SECONDS)
    target.stop()
    wait_until(lambda: len(recorder.results) == recorder.accepted, limit(1), "all records")
    times = {}
    for at, host in sorted(recorder.results):
        times.setdefault(host, []).append(at)
    assert len(times) == BACKENDS
    first_round = max(found[0] for found in times.values())
    assert first_round - begin <= limit(INTERVAL + 1), first_round - begin

    later = [at for found in times.values() for at in found if at > first_round]
    buckets = {}
    for at in later:
        buckets[int((at - begin) / BUCKET)] = buckets.get(int((at - begin) / BUCKET), 0) + 1
    a_second = len(later) / (max(later) - first_round)
    every = [gap for found in times.values() for gap in gaps(found)]
    print(f"first round in {first_round - begin:.2f} s; then {a_second:.1f} a second, at most "
          f"{max(buckets.values())} in {BUCKET} s; every {min(every):.2f} to {max(every):.2f} s, "
          f"deviation {statistics.pstdev(every):.3f}")
    assert max(buckets.values()) <= MOST
    assert scaled(30, 45) <= a_second <= 55
    assert abs(statistics.median(every) - INTERVAL) <= JITTER * INTERVAL
    assert statistics.pstdev(every) >= 0.01, "in step"
    if STRICT:
        assert (1 - JITTER) * INTERVAL - 0.05 <= min(every)
        assert max(every) <= (1 + JITTER) * INTERVAL + 0.05
