# SPDX-License-Identifier: Apache-2.0
"""B02: a reset by the client stays a reset.

The client sends 1 KiB, waits until the backend has it and 50 ms more, and resets. A backend that
saw a clean end would commit half an upload. Expected: the backend has the 1 KiB and then
ECONNRESET within 0.5 s, 100 of 100 times, and the close reason is client_reset.
"""

import time

from kit import (Script, each_way, limit, linger0, receive, receive_exactly, send_pattern,
                 together, wait_until)

TIMES = 100


@each_way
def test_B02_client_reset(stage, way):
    arrived = set()

    def serve(sock, _index):
        number = int.from_bytes(receive_exactly(sock, 4, limit(5)))
        assert receive(sock, limit(5), count=1024, seed=number).count == 1024
        arrived.add(number)
        rest = receive(sock, limit(5))
        return time.monotonic(), rest.count, rest.end

    backend = stage.backend(Script(serve))
    target = stage.target(way, [backend])

    def client(number):
        sock = stage.connect(target)
        sock.sendall(number.to_bytes(4))
        send_pattern(sock, number, 1024, limit(1))
        wait_until(lambda: number in arrived, limit(2), "the bytes' arrival")
        time.sleep(0.05)
        linger0(sock)
        return time.monotonic()

    resets = together(TIMES, parallel=20, task=client)
    wait_until(lambda: len(backend.results) == TIMES, limit(0.5), "all ends at the backend")
    assert {result[1:] for result in backend.results} == {(0, "reset")}
    ends = sorted(result[0] for result in backend.results)
    assert max(end - reset for end, reset in zip(ends, sorted(resets))) <= limit(0.5)
    target.expect_reasons(client_reset=TIMES)
    target.quiet()
