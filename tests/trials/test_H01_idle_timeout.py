# SPDX-License-Identifier: Apache-2.0
"""H01: the idle time-out is exact, ends both sides, and says so.

Idle time-out 2 s.  20 connections are idle from the start, 20 after one echo.  Expected: client
and backend both see the end 2.0 to 2.6 s after the last byte, and the close reason is
idle_timeout.
"""

import time

from kit import Script, each_engine, limit, together, wait_until
from kit.ends import await_close, echoes

EACH = 20
IDLE = 2.0
CLOCK = 0.02  # The daemon reads its clock once a turn.


def echo_once_and_wait(sock, _index):
    """Result: seconds from just before the last byte to the end; None when there was no byte."""
    if not sock.recv(1):
        return None
    begin = time.monotonic()
    sock.sendall(b"x")
    await_close(sock, within=limit(10))
    return time.monotonic() - begin


@each_engine
def test_H01_idle_timeout(stage, way):
    backend = stage.backend(Script(echo_once_and_wait))
    target = stage.target(way, [backend], idle_timeout="2s")

    def silence(index):
        """Seconds from just before the connect, or the echo, to the end."""
        begin = time.monotonic()
        client = stage.connect(target)
        if index >= EACH:
            begin = time.monotonic()
            assert echoes(client, within=limit(1))
        await_close(client, within=limit(IDLE + 0.6))
        took = time.monotonic() - begin
        client.close()
        return took

    took = together(2 * EACH, 2 * EACH, silence)
    assert IDLE - CLOCK <= min(took) and max(took) <= limit(IDLE + 0.6)
    wait_until(lambda: len(backend.results) == 2 * EACH, limit(1), "the ends at the backend")
    at_backend = [seconds for seconds in backend.results if seconds is not None]
    assert len(at_backend) == EACH
    assert IDLE - CLOCK <= min(at_backend) and max(at_backend) <= limit(IDLE + 0.6)
    target.expect_reasons(idle_timeout=2 * EACH)
    target.quiet()
