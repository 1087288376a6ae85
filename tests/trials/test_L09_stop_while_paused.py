# SPDX-License-Identifier: Apache-2.0
"""L09: a graceful stop while the listener is paused for want of room.

64 descriptors and 100 clients, as in E01; then SIGTERM with a drain time-out of 3 s (in CI 1 s).
Expected: the listener does not come back to life when room appears; exit status 0 at most 1 s
after the deadline, and the port is free.
"""

import signal
import socket
import time

from kit import Echo, limit, scaled, wait_until
from kit.stage import ENGINES

import pytest

DRAIN = scaled(1, 3)


@pytest.mark.parametrize("way", ENGINES)
def test_L09_stop_while_paused(stage, way):
    target = stage.target(way, [stage.backend(Echo())], nofile=64, drain_timeout=f"{DRAIN}s")
    clients = [stage.connect(target) for _ in range(100)]
    wait_until(target.pauses, limit(5), "the listener to pause")
    begin = time.monotonic()
    target.signal(signal.SIGTERM)
    time.sleep(0.2)
    # Room for the paused listener, if it still listened.
    clients[0].close()
    assert target.wait(DRAIN + limit(1)) == 0
    assert time.monotonic() - begin <= DRAIN + limit(1)
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(target.address)
        sock.listen()
