# SPDX-License-Identifier: Apache-2.0
"""M10: no 40 ms per exchange, which is what Nagle's algorithm and delayed acknowledgements make.

The client writes 1 byte, then 1 byte, and waits for 2; the backend answers in two writes of 1
byte.  Both use TCP_NODELAY, so any wait of 40 ms is the balancer's.  200 rounds; then the same
with pieces of 101 bytes.  Expected: median at most 1 ms, 99th percentile at most 5 ms.
"""

import socket
import statistics
import time

from kit import Script, each_way, limit, receive_exactly

ROUNDS = 200


def answer_in_two(sock, _index):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while size := sock.recv(1):
        piece = receive_exactly(sock, size[0], limit(5))
        again = receive_exactly(sock, size[0] + 1, limit(5))
        sock.sendall(piece)
        sock.sendall(again[1:])


def exchanges(client, size):
    """Seconds per round; every piece is led by its size."""
    took = []
    piece = bytes([size]) + bytes(size)
    for _ in range(ROUNDS):
        begin = time.monotonic()
        client.sendall(piece)
        client.sendall(piece)
        receive_exactly(client, 2 * size, limit(5))
        took.append(time.monotonic() - begin)
    return took


@each_way
def test_M10_forty_milliseconds(stage, way):
    target = stage.target(way, [stage.backend(Script(answer_in_two))])
    client = stage.connect(target)
    for size in (1, 101):
        took = sorted(exchanges(client, size))
        assert statistics.median(took) <= limit(0.001)
        assert took[int(ROUNDS * 0.99) - 1] <= limit(0.005)
    client.close()
    target.quiet()
