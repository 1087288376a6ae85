# SPDX-License-Identifier: Apache-2.0
"""E02: a failing or pending connect must not make the loop spin.

The only backend refuses, and 200 clients come within 5 s: each is closed within 100 ms, with few
turns of the loop per client.  Then the only backend is a black hole, with a connect time-out of 4
s and 50 clients: no busy loop while the connects are pending, and the clients are closed at 4 to
4.5 s.
"""

import time

from kit import Blackhole, Refuse, STRICT, connect, each_engine, limit, receive, scaled
from kit.ends import await_close, turns

TURNS_PER_CLIENT = 10


def refused_within(address, seconds):
    """A client that is closed without a byte; the reset may come before connect() returns."""
    try:
        with connect(address) as client:
            arrival = receive(client, within=seconds)
            assert arrival.end in ("fin", "reset") and arrival.count == 0
    except ConnectionResetError:
        pass


@each_engine
def test_E02_refused(stage, way):
    target = stage.target(way, [stage.backend(Refuse())])
    clients = scaled(50, 200)
    before, cpu = turns(target), target.cpu_seconds()
    begin = time.monotonic()
    for _ in range(clients):
        refused_within(target.address, limit(0.1))
        time.sleep(0.025)
    took = time.monotonic() - begin
    spent = target.cpu_seconds() - cpu
    assert turns(target) - before <= TURNS_PER_CLIENT * clients + took * 17
    assert not STRICT or spent / took <= 0.1, f"{spent / took:.0%} CPU"
    target.expect_reasons(connect_failed=clients)
    target.quiet()


@each_engine
def test_E02_pending(stage, way):
    seconds = scaled(2, 4)
    target = stage.target(way, [stage.backend(Blackhole())], connect_timeout=f"{seconds}s")
    begin = time.monotonic()
    clients = [stage.connect(target) for _ in range(50)]
    connected = time.monotonic() - begin
    target.check_rest()
    for client in clients:
        await_close(client, within=limit(seconds + 0.5))
        assert time.monotonic() - begin >= seconds - 0.02, "closed before the time-out"
    assert time.monotonic() - begin <= connected + seconds + limit(0.5)
    target.expect_reasons(connect_timeout=50)
    for client in clients:
        client.close()
    target.quiet()
