# SPDX-License-Identifier: Apache-2.0
"""C04: the end of the stream waits for the bytes that are still in a pipe.

The backend sends 3 MiB and closes at once; 50 parallel clients with small receive buffers read 64
KiB every 100 ms (CI: every 20 ms). A shutdown passed on too early truncates their downloads.
Expected: 50 times exactly 3 MiB, in order, and a clean end.
"""

from kit import Source, each_way, limit, receive, scaled, together

SIZE = 3 << 20
CLIENTS = 50


@each_way
def test_C04_slow_downloads(stage, way):
    target = stage.target(way, [stage.backend(Source(SIZE, forked=True))])

    def client(number):
        sock = stage.connect(target, rcvbuf=8192)
        sock.sendall(number.to_bytes(4))
        arrival = receive(sock, limit(15), seed=number, pace=(65536, scaled(0.02, 0.1)))
        return arrival.count, arrival.end

    assert set(together(CLIENTS, CLIENTS, client)) == {(SIZE, "fin")}
    stage.close_clients()
    target.expect_reasons(backend_fin=CLIENTS)
    target.quiet()
