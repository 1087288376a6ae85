# SPDX-License-Identifier: Apache-2.0
"""J11: a backend that comes back is not flooded.

Least connections; two backends hold 50 sessions each, the third is down, longer than a slow start
takes, and comes back; then new clients come steadily and stay.  Expected with `slow_start` of 10 s
(in CI 2 s): in the first fifth of that time it gets a quarter of the new ones at most, more in the
second half than in the first, and its full share after that time (+- 1 s), when the API says so.
Without: it gets all of the next 50, since it has fewest; that is what the documents say of it.  A
backend that is there when the process starts never starts slowly; one that is added does.
"""

import collections
import time

from kit import Ident, limit, only_l4lb, scaled, wait_until
from kit.api import Api
from kit.ends import name_of, open_named
from kit.health import await_health, every, out_within

HELD = 50
INTERVAL = 0.2
# Over a shorter time more clients, so that chance has as little say.
SLOW, A_SECOND = scaled(2, 10), scaled(90, 20)


def starts_slowly(backend):
    return backend["slow_start_left_ms"] != -1


def begin(stage, way, **options):
    """b0 and b1 hold 50 each, b2 is down."""
    backends = [stage.backend(Ident(name=f"b{i}", forked=True)) for i in range(3)]
    target = stage.target(way, backends, policy="least_connections",
                          health_check=every(INTERVAL), **options)
    api = Api(target)
    assert not any(map(starts_slowly, api.backends().values())), "at the start"
    backends[2].kill()
    await_health(api, "b2", "down", limit(out_within(INTERVAL)))
    held = open_named(stage, target, 2 * HELD)
    assert {name: len(socks) for name, socks in held.items()} == {"b0": HELD, "b1": HELD}
    return target, api, backends


def come_back(stage, api, backends):
    """b2 serves again; returns the API's word when it takes sessions."""
    stage.backend(Ident(name="b2", port=backends[2].port, forked=True))
    return await_health(api, "b2", "up", limit(out_within(INTERVAL)))


def newcomers(stage, target, seconds):
    """(seconds since the first, name of its backend) of clients that come steadily."""
    found, begun = [], time.monotonic()
    while (now := time.monotonic() - begun) < seconds:
        found.append((now, name_of(stage.connect(target))))
        time.sleep(max(0.0, begun + len(found) / A_SECOND - time.monotonic()))
    return found


def share(found, first, last):
    """b2's among those who came between two moments."""
    names = collections.Counter(name for at, name in found if first <= at < last)
    return names["b2"] / max(1, names.total())


@only_l4lb
def test_J11_slow_start(stage, way):
    target, api, backends = begin(stage, way, slow_start={"time": f"{SLOW}s"})
    time.sleep(1.2 * SLOW)
    back = come_back(stage, api, backends)
    begun = time.monotonic()
    assert 0 < back["slow_start_left_ms"] <= SLOW * 1000
    found = newcomers(stage, target, 0.9 * SLOW)
    wait_until(lambda: not starts_slowly(api.backends()["b2"]), limit(0.1 * SLOW + 1),
               "the end of the slow start")
    assert SLOW - 1 <= time.monotonic() - begun <= limit(SLOW + 1)
    first, early, late = (share(found, a * SLOW, b * SLOW)
                          for a, b in ((0, 0.2), (0, 0.45), (0.45, 0.9)))
    print(f"b2 gets {first:.0%} in the first fifth, {early:.0%} and {late:.0%} in the halves")
    assert 0 < first <= 0.25 and early < late
    # From now on it gets all until it has as many as the others.
    held = {name: b["active"] for name, b in api.backends().items()}
    missing = min(held["b0"], held["b1"]) - held["b2"]
    names = [name_of(stage.connect(target)) for _ in range(max(0, missing))]
    assert set(names) <= {"b2"}, (held, names)
    stage.close_clients()
    target.quiet(rest=False)


@only_l4lb
def test_J11_without(stage, way):
    target, api, backends = begin(stage, way)
    assert not starts_slowly(come_back(stage, api, backends))
    names = [name_of(stage.connect(target)) for _ in range(HELD)]
    assert names == ["b2"] * HELD
    stage.close_clients()
    target.quiet(rest=False)


@only_l4lb
def test_J11_not_at_the_start_but_when_added(stage, way):
    backends = [stage.backend(Ident(name=f"b{i}", forked=True)) for i in range(3)]
    target = stage.target(way, backends[:2], policy="least_connections", slow_start={"time": "1h"},
                          health_check=every(INTERVAL))
    api = Api(target)
    for name in ("b0", "b1"):
        assert not starts_slowly(await_health(api, name, "up", limit(2)))
    assert set(open_named(stage, target, 20)) == {"b0", "b1"}
    api.add(backends[2])
    added = await_health(api, "b2", "up", limit(2))
    assert 0 < added["slow_start_left_ms"] <= 3_600_000
    counts = {name: len(socks) for name, socks in open_named(stage, target, 20).items()}
    assert counts.get("b2", 0) <= 5, counts
    stage.close_clients()
    target.quiet()
