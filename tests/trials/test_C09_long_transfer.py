# SPDX-License-Identifier: Apache-2.0
"""C09: a long transfer never stalls.

One connection, backend to client, as fast as both can for 60 s (CI: 3 s); then the same with
reader and writer pinned to one core. A missed re-arm after an unlucky EAGAIN shows as a gap.
Expected: never more than 1 s without a byte, and the count is exact.
"""

import os
import time

import pytest

from kit import Forked, Script, connect, each_way, limit, receive, scaled, send_pattern, wait_until

SECONDS = scaled(3, 60)
PIECE = 1 << 20


@pytest.mark.parametrize("pinned", [False, True], ids=["free", "pinned"])
@each_way
def test_C09_long_transfer(stage, way, pinned):
    if way == "direct" and not pinned:
        pytest.skip("the pinned run shows as much")
    core = {min(os.sched_getaffinity(0))}

    def pin():
        if pinned:
            os.sched_setaffinity(0, core)

    def serve(sock, _index):
        pin()
        end, sent = time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            send_pattern(sock, 9, PIECE, limit(5), offset=sent)
            sent += PIECE
        return sent

    def client(address):
        pin()
        with connect(address) as sock:
            return receive(sock, SECONDS + limit(10), seed=9)

    backend = stage.backend(Script(serve, forked=True))
    target = stage.target(way, [backend])
    reader = Forked(client, target.address)
    stage.keep(reader, reader.kill)
    arrival = reader.result(SECONDS + limit(10))
    wait_until(lambda: backend.results, limit(1), "the backend's result")
    assert (arrival.count, arrival.end) == (backend.results[0], "fin")
    assert arrival.longest_gap <= limit(1)
    target.quiet()
