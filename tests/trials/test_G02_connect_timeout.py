# SPDX-License-Identifier: Apache-2.0
"""G02: early data and an early FIN survive a connect time-out and the retry.

The first backend is a black hole, the second echoes; the connect time-out is 1 s.  Ten clients at
once send 64 KiB, half-close and read to the end.  Expected: each gets its 65,536 bytes, once,
within 1.6 s.  With checks on likewise, and once the black hole is down, at once.
"""

import socket

from kit import Blackhole, Echo, each_engine, limit, only_l4lb, receive, send_pattern, together
from kit.api import Api
from kit.health import await_health, every, out_within

CLIENTS = 10
SIZE = 65536
INTERVAL = 0.5


def all_exchange(stage, target, within):
    """All clients at once."""
    clients = [stage.connect(target) for _ in range(CLIENTS)]

    def exchange(index):
        send_pattern(clients[index], index, SIZE, within=limit(1))
        clients[index].shutdown(socket.SHUT_WR)
        return receive(clients[index], within=limit(within), seed=index)

    arrivals = together(CLIENTS, CLIENTS, exchange)
    assert [(a.count, a.end) for a in arrivals] == [(SIZE, "fin")] * CLIENTS
    assert max(a.seconds for a in arrivals) <= limit(within)


@each_engine
def test_G02_connect_timeout(stage, way):
    echo = stage.backend(Echo())
    target = stage.target(way, [stage.backend(Blackhole()), echo], connect_timeout="1s")
    all_exchange(stage, target, 1.6)
    target.expect_reasons(client_fin=CLIENTS)
    target.quiet()
    assert echo.results == [SIZE] * CLIENTS


@only_l4lb
def test_G02_with_checks(stage, way):
    echo = stage.backend(Echo())
    target = stage.target(way, [stage.backend(Blackhole()), echo], connect_timeout="1s",
                          health_check=every(INTERVAL, timeout="250ms"))
    all_exchange(stage, target, 1.6)
    hole = await_health(Api(target), "b1", "down", limit(out_within(INTERVAL)))
    assert "no answer within 250" in hole["check"]["last_reason"]
    tried = target.pool()["retries"]
    all_exchange(stage, target, 0.2)
    assert target.pool()["retries"] == tried
    target.expect_reasons(client_fin=2 * CLIENTS)
    target.quiet()
    assert [size for size in echo.results if size] == [SIZE] * 2 * CLIENTS
