# SPDX-License-Identifier: Apache-2.0
"""G02: early data and an early FIN survive a connect time-out and the retry.

The first backend is a black hole, the second echoes; the connect time-out is 1 s.  Ten clients at
once send 64 KiB, half-close and read to the end.  Expected: each gets its 65,536 bytes, once,
within 1.6 s.
"""

import socket

from kit import Blackhole, Echo, each_engine, limit, receive, send_pattern, together

CLIENTS = 10
SIZE = 65536


@each_engine
def test_G02_connect_timeout(stage, way):
    echo = stage.backend(Echo())
    target = stage.target(way, [stage.backend(Blackhole()), echo], connect_timeout="1s")
    clients = [stage.connect(target) for _ in range(CLIENTS)]

    def exchange(index):
        send_pattern(clients[index], index, SIZE, within=limit(1))
        clients[index].shutdown(socket.SHUT_WR)
        return receive(clients[index], within=limit(1.6), seed=index)

    arrivals = together(CLIENTS, CLIENTS, exchange)
    assert [(a.count, a.end) for a in arrivals] == [(SIZE, "fin")] * CLIENTS
    assert max(a.seconds for a in arrivals) <= limit(1.6)
    target.expect_reasons(client_fin=CLIENTS)
    target.quiet()
    assert echo.results == [SIZE] * CLIENTS
