# SPDX-License-Identifier: Apache-2.0
"""A06: 50 MiB for a reader that pauses, after a FIN, in both directions.

The client shuts writing down and does not read; the backend sends 50 MiB and closes; after 3 s
the client reads to the end. Then the mirror: the backend shuts writing down and pauses, the
client sends 50 MiB and closes. Expected: every byte, in order, and a clean end. CI pauses for 1
s.
"""

import socket
import time

from kit import Sink, Source, each_way, limit, receive, scaled, send_pattern, wait_until

SIZE = 50 << 20
PAUSE = scaled(1, 3)


@each_way
def test_A06_backend_to_paused_client(stage, way):
    target = stage.target(way, [stage.backend(Source(SIZE, seed=6, forked=True))])
    client = stage.connect(target)
    client.shutdown(socket.SHUT_WR)
    time.sleep(PAUSE)
    arrival = receive(client, limit(20), seed=6)
    assert (arrival.count, arrival.end) == (SIZE, "fin")
    target.expect_reasons(client_fin=1)
    target.quiet()


class PausedSink(Sink):
    def serve(self, sock, index):
        sock.shutdown(socket.SHUT_WR)
        return super().serve(sock, index)


@each_way
def test_A06_client_to_paused_backend(stage, way):
    backend = stage.backend(PausedSink(keyed=True, pause=PAUSE, forked=True))
    target = stage.target(way, [backend])
    client = stage.connect(target)
    client.sendall((7).to_bytes(4))
    send_pattern(client, 7, SIZE, limit(20))
    client.close()
    wait_until(lambda: backend.results, limit(20), "the backend's result")
    arrival = backend.results[0]
    assert (arrival.count, arrival.end) == (SIZE, "fin")
    target.expect_reasons(backend_fin=1)
    target.quiet()
