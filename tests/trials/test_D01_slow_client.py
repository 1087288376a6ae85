# SPDX-License-Identifier: Apache-2.0
"""D01: memory does not grow with a client that does not read.

The backend sends 256 MiB as fast as it can; the client reads nothing for 10 s (CI: 2 s), then
all. Expected: while it pauses the backend's counter stands still at what the kernel's buffers hold
(16 MiB, or the sum of their configured maxima where that is more), the process grows by at most
its two buffers of 16 KiB and 1 MiB, and then every byte arrives.
"""

import pathlib
import time

from kit import Source, each_way, limit, receive, scaled, wait_for_standstill

SIZE = 256 << 20
BUFFERS = 2 * (16 << 10)


def kernel_buffers():
    """Bytes that the four socket buffers between backend and client hold at most."""
    def most(kind):
        path = pathlib.Path(f"/proc/sys/net/ipv4/tcp_{kind}mem")
        return int(path.read_text(encoding="ascii").split()[2])
    return max(16 << 20, 2 * (most("r") + most("w")))


@each_way
def test_D01_slow_client(stage, way):
    backend = stage.backend(Source(SIZE, seed=1, forked=True))
    target = stage.target(way, [backend])
    before = target.rss() if target.is_l4lb else 0
    client = stage.connect(target)
    time.sleep(scaled(0.1, 8))
    sent = wait_for_standstill(lambda: backend.sent, limit(10))
    time.sleep(scaled(1, 2))
    assert backend.sent == sent <= kernel_buffers()
    if target.is_l4lb:
        assert target.sanitized or target.rss() - before <= BUFFERS + (1 << 20)
        target.check_rest()
    arrival = receive(client, limit(20), seed=1)
    assert (arrival.count, arrival.end) == (SIZE, "fin")
    stage.close_clients()
    target.quiet()
