# SPDX-License-Identifier: Apache-2.0
"""H05: the timer of a direction that is already shut must act, or it fires for ever.

Half-close time-out 3 s (in CI 2 s), idle time-out 90 s.  The backend waits 100 ms, shuts down its
writing and never reads; the client sends until it blocks, and would then shut down its own.
Expected: both are closed at most 1.5 s after the half-close time-out, and the loop rests.
"""

import socket
import time

from kit import Script, each_engine, limit, scaled, send_until_blocked, wait_until
from kit.ends import await_close

HALF_CLOSE = scaled(2, 3)
MOST = 64 << 20  # More than all buffers on the way take.


def shut_and_hold(sock, _index):
    begin = time.monotonic()
    time.sleep(0.1)
    sock.shutdown(socket.SHUT_WR)
    # Our own FIN hides POLLRDHUP's absence from nobody: only the far end's close sets it.
    await_close(sock, within=limit(15))
    return time.monotonic() - begin


@each_engine
def test_H05_closed_direction(stage, way):
    backend = stage.backend(Script(shut_and_hold, rcvbuf=65536))
    target = stage.target(way, [backend], half_close_timeout=f"{HALF_CLOSE}s", idle_timeout="90s")
    begin = time.monotonic()
    client = stage.connect(target, sndbuf=65536)
    try:
        assert send_until_blocked(client, seed=5, still=0.3, most=MOST) < MOST
    except (BrokenPipeError, ConnectionResetError):
        pass  # Now and then the kernel takes some bytes more, until it is over.
    wait_until(lambda: ended(client), limit(HALF_CLOSE + 1.5), "the end at the client")
    took = time.monotonic() - begin
    assert HALF_CLOSE <= took <= limit(HALF_CLOSE + 1.5)
    target.check_rest()
    wait_until(lambda: backend.results, limit(1), "the end at the backend")
    target.expect_reasons(half_close_timeout=1)
    client.close()
    target.quiet()


def ended(client):
    """Whether the connection is over, which a send tells: the backend's FIN came long before."""
    try:
        client.send(b"x", socket.MSG_DONTWAIT)
        return False
    except BlockingIOError:
        return False
    except OSError:
        return True
