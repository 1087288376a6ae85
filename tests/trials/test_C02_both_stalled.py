# SPDX-License-Identifier: Apache-2.0
"""C02: no hot loop while pipes and sockets are full in both directions.

On 20 connections client and backend each send 10 MiB and do not read until nothing moves any
more and then for 3 s (CI: 1 s); then both read everything. Expected: no work while all are
stalled; afterwards all 20 x 2 x 10 MiB arrive right.
"""

import multiprocessing
import threading
import time

from kit import (Script, each_way, limit, receive, receive_exactly, scaled, send_pattern, together,
                 wait_until)

CONNECTIONS = 20
SIZE = 10 << 20


def send_wait_read(sock, seed_out, seed_in, go):
    """Sends SIZE bytes on a thread; after `go` reads SIZE bytes; returns how many came."""
    sender = threading.Thread(target=send_pattern, args=(sock, seed_out, SIZE, limit(40)))
    sender.start()
    go.wait(limit(20))
    arrival = receive(sock, limit(20), count=SIZE, seed=seed_in)
    sender.join()
    return arrival.count


@each_way
def test_C02_both_stalled(stage, way):
    go = multiprocessing.Event()

    def serve(sock, _index):
        seed = int.from_bytes(receive_exactly(sock, 1, limit(5)))
        return send_wait_read(sock, 32 + seed, seed, go)

    backend = stage.backend(Script(serve, forked=True))
    target = stage.target(way, [backend])

    def client(number):
        sock = stage.connect(target)
        sock.sendall(number.to_bytes(1))
        return send_wait_read(sock, number, 32 + number, go)

    counts = []
    run = threading.Thread(target=lambda: counts.extend(together(CONNECTIONS, CONNECTIONS, client)))
    run.start()
    try:
        time.sleep(scaled(0.5, 2))
        target.check_rest()
    finally:
        go.set()
        run.join()
    assert counts == [SIZE] * CONNECTIONS
    wait_until(lambda: len(backend.results) == CONNECTIONS, limit(5), "the backend's results")
    assert backend.results == [SIZE] * CONNECTIONS
    stage.close_clients()
    target.quiet()
