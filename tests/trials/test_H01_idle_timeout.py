# SPDX-License-Identifier: Apache-2.0
"""H01: the idle time-out is exact, ends both sides, and says so.

Idle time-out 2 s.  20 connections are idle from the start, 20 after one echo.  Expected: client and
backend both see the end 2.0 to 2.6 s after the last byte, and the close reason is idle_timeout.
"""

import time

from kit import Script, each_engine, limit, together, wait_until
from kit.ends import await_close, echoes

EACH = 20
IDLE = 2.0
CLOCK = 0.02  # The daemon reads its clock once a turn.


def echo_once_and_wait(sock, _index):
    """Result: seconds of silence until the end."""
    begin = time.monotonic()
    if sock.recv(1, 0):
        sock.sendall(b"x")
        begin = time.monotonic()
        await_close(sock, within=limit(10))
    return time.monotonic() - begin


@each_engine
def test_H01_idle_timeout(stage, way):
    backend = stage.backend(Script(echo_once_and_wait))
    target = stage.target(way, [backend], idle_timeout="2s")
    clients = [stage.connect(target) for _ in range(2 * EACH)]

    def silence(index):
        if index >= EACH:
            assert echoes(clients[index], within=limit(1))
        return await_close(clients[index], within=limit(IDLE + 0.6))

    # Each client counts from its own last byte: the silent ones from here, just after the connect.
    took = together(2 * EACH, 2 * EACH, silence)
    assert IDLE - 0.2 <= min(took[:EACH]) and IDLE - CLOCK <= min(took[EACH:])
    assert max(took) <= limit(IDLE + 0.6)
    wait_until(lambda: len(backend.results) == 2 * EACH, limit(1), "the ends at the backend")
    assert IDLE - 0.2 <= min(backend.results) and max(backend.results) <= limit(IDLE + 0.6)
    target.expect_reasons(idle_timeout=2 * EACH)
    for client in clients:
        client.close()
    target.quiet()
