# SPDX-License-Identifier: Apache-2.0
"""D05x: a reader that pauses for longer than dead_after is alive.

With dead_after 2 s (CI: 1 s) the reader of 64 MiB, first the client, then the backend, reads
nothing for three times as long while the sender is blocked. Its kernel answers every probe of the
closed window, so it must not be taken for lost. Expected: every byte arrives and the end is
clean.
"""

import time

from kit import Sink, Source, each_engine, limit, receive, scaled, send_pattern, wait_until

SIZE = 64 << 20
DEAD_AFTER = scaled(1, 2)


@each_engine
def test_D05x_client_pauses(stage, way):
    backend = stage.backend(Source(SIZE, seed=5, forked=True))
    target = stage.target(way, [backend], dead_after=f"{DEAD_AFTER}s")
    client = stage.connect(target, rcvbuf=65536)
    time.sleep(3 * DEAD_AFTER + 0.5)
    assert backend.sent < SIZE
    arrival = receive(client, limit(10), seed=5)
    assert (arrival.count, arrival.end) == (SIZE, "fin")
    stage.close_clients()
    target.expect_reasons(backend_fin=1)
    target.quiet()


@each_engine
def test_D05x_backend_pauses(stage, way):
    pause = 3 * DEAD_AFTER + 0.5
    backend = stage.backend(Sink(keyed=True, pause=pause, forked=True, rcvbuf=65536))
    target = stage.target(way, [backend], dead_after=f"{DEAD_AFTER}s")
    client, begin = stage.connect(target), time.monotonic()
    client.sendall((6).to_bytes(4))
    send_pattern(client, 6, SIZE, limit(20))
    assert time.monotonic() - begin >= 2 * DEAD_AFTER
    client.close()
    wait_until(lambda: backend.results, limit(10), "the backend's result")
    arrival = backend.results[0]
    assert (arrival.count, arrival.end) == (SIZE, "fin")
    target.expect_reasons(client_fin=1)
    target.quiet()
