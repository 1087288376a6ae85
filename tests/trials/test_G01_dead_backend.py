# SPDX-License-Identifier: Apache-2.0
"""G01: a dead backend in rotation must not cost clients.

The first backend refuses, the second echoes; round robin, no checks.  20 clients send 64 KiB at
once. Expected: all get their bytes back, exactly once, within 50 ms more than through a living
backend alone.  With checks on likewise, and once they have found the dead one nobody is sent there
any more.
"""

import time

from kit import Echo, Refuse, each_engine, limit, only_l4lb, pattern, receive_exactly, send
from kit.api import Api
from kit.health import await_health, every, out_within

CLIENTS = 20
SIZE = 65536
INTERVAL = 0.2


def exchange(stage, target, seed):
    """One client's echo; returns its seconds from before the connect."""
    begin = time.monotonic()
    client = stage.connect(target)
    payload = pattern(seed).bytes(SIZE)
    send(client, payload, within=limit(1))
    assert receive_exactly(client, SIZE, limit(1)) == payload
    took = time.monotonic() - begin
    client.close()
    return took


@each_engine
def test_G01_dead_backend(stage, way):
    echo = stage.backend(Echo())
    alone = stage.target(way, [echo])
    usual = max(exchange(stage, alone, seed) for seed in range(5))
    living = stage.backend(Echo())
    target = stage.target(way, [stage.backend(Refuse()), living])
    for seed in range(CLIENTS):
        assert exchange(stage, target, seed) <= usual + limit(0.05)
    target.expect_reasons(client_fin=CLIENTS)
    target.quiet()
    assert living.accepted == CLIENTS
    assert living.results == [SIZE] * CLIENTS
    if target.is_l4lb:
        pool = target.stats()["pools"]["default"]
        assert pool["connects_established"] == CLIENTS
        assert 0 < pool["retries"] == pool["connects_failed"] <= CLIENTS


@only_l4lb
def test_G01_with_checks(stage, way):
    usual = max(exchange(stage, stage.target(way, [stage.backend(Echo())]), s) for s in range(5))
    living = stage.backend(Echo())
    target = stage.target(way, [stage.backend(Refuse()), living], health_check=every(INTERVAL))
    for seed in range(CLIENTS):
        assert exchange(stage, target, seed) <= usual + limit(0.05)
    api = Api(target)
    dead = await_health(api, "b1", "down", limit(out_within(INTERVAL)))
    assert "refused" in dead["check"]["last_reason"] and not dead["takes_sessions"]
    assert api.backends()["b2"]["takes_sessions"]
    tried = target.pool()["retries"]
    for seed in range(CLIENTS):
        assert exchange(stage, target, seed) <= usual + limit(0.05)
    assert target.pool()["retries"] == tried
    target.expect_reasons(client_fin=2 * CLIENTS)
    target.quiet()
    # The checks brought no bytes.
    assert [size for size in living.results if size] == [SIZE] * 2 * CLIENTS
