# SPDX-License-Identifier: Apache-2.0
"""L05: the deadline of a drain does not cut all sessions in the same instant.

200 idle connections; drain of the process, of a backend or of a listener within 10 s (in CI 3 s);
the times of the closes are recorded.  Expected with `drain_spread: 10s` (3 s): no tenth of that
time has more than a quarter of them, the last goes at the deadline at the latest, and of those of
one worker the ones that were idle longest go first.  Without (the default is 0s, and
docs/reference/config.md says what it means), in CI within 1 s: all at the deadline.
"""

import select
import signal
import time

from kit import Echo, limit, only_l4lb, scaled
from kit.api import Api
from kit.ends import echoes, reasons_of

import pytest

SESSIONS = 200
DRAIN = scaled(3, 10)


def begin(stage, way, drain, **options):
    """The clients, those first that were idle for longer."""
    target = stage.target(way, [stage.backend(Echo(forked=True))], drain_timeout=f"{drain}s",
                          idle_timeout="1h", **options)
    clients = [stage.connect(target) for _ in range(SESSIONS)]
    assert all(echoes(client) for client in clients)
    time.sleep(0.3)
    assert all(echoes(client) for client in clients[SESSIONS // 2:])
    return target, clients


def close_times(clients, begun):
    """Seconds from `begun` until each of the clients was closed, in their order."""
    poll, times = select.poll(), {}
    for client in clients:
        poll.register(client, select.POLLRDHUP)
    while len(times) < len(clients):
        events = poll.poll(int(limit(DRAIN + 2) * 1000))
        assert events, f"{len(clients) - len(times)} are still open"
        for fd, _ in events:
            times[fd] = time.monotonic() - begun
            poll.unregister(fd)
    return [times[client.fileno()] for client in clients]


def drain(target, what):
    if what == "process":
        return target.signal(signal.SIGTERM)
    return Api(target).post(f"/v1/{what}/drain")


WHAT = pytest.mark.parametrize("what", ["process", "listeners/default",
                                        "pools/default/backends/b1"])


@WHAT
@only_l4lb
def test_L05_spread(stage, way, what):
    target, clients = begin(stage, way, DRAIN, drain_spread=f"{DRAIN}s")
    begun = time.monotonic()
    drain(target, what)
    times = close_times(clients, begun)
    tenths = [0] * 10
    for seconds in times:
        tenths[min(9, int(seconds / DRAIN * 10))] += 1
    assert max(tenths) <= SESSIONS / 4, tenths
    assert max(times) <= DRAIN + limit(0.5)
    assert set(reasons_of(target, clients)) <= {"drained", "shutdown"}


@only_l4lb
def test_L05_idlest_first(stage, way):
    """How many idle and busy sessions a worker got is chance: one worker has them all."""
    target, clients = begin(stage, way, DRAIN, drain_spread=f"{DRAIN}s", workers=1)
    begun = time.monotonic()
    drain(target, "listeners/default")
    times = close_times(clients, begun)
    assert max(times[:SESSIONS // 2]) <= min(times[SESSIONS // 2:]) + limit(0.1)


@WHAT
@only_l4lb
def test_L05_at_once(stage, way, what):
    seconds = scaled(1, DRAIN)
    target, clients = begin(stage, way, seconds)
    begun = time.monotonic()
    drain(target, what)
    times = close_times(clients, begun)
    assert seconds - 0.05 <= min(times) and max(times) <= seconds + limit(0.5)
