# SPDX-License-Identifier: Apache-2.0
"""B02: a reset by the client stays a reset.

The client sends 1 KiB, waits 50 ms and resets. A backend that saw a clean end would commit half
an upload. Expected: the backend has the 1 KiB and then ECONNRESET within 0.5 s, 100 of 100 times,
and the close reason is client_reset.
"""

import time

from kit import Sink, each_way, limit, linger0, send_pattern, together, wait_until

TIMES = 100


class TimedSink(Sink):
    def serve(self, sock, index):
        arrival = super().serve(sock, index)
        return time.monotonic(), arrival.count, arrival.end


@each_way
def test_B02_client_reset(stage, way):
    backend = stage.backend(TimedSink(keyed=True))
    target = stage.target(way, [backend])

    def client(number):
        sock = stage.connect(target)
        sock.sendall(number.to_bytes(4))
        send_pattern(sock, number, 1024, limit(1))
        time.sleep(0.05)
        linger0(sock)
        return time.monotonic()

    resets = together(TIMES, parallel=20, task=client)
    wait_until(lambda: len(backend.results) == TIMES, limit(0.5), "all ends at the backend")
    assert {result[1:] for result in backend.results} == {(1024, "reset")}
    ends = sorted(result[0] for result in backend.results)
    assert max(end - reset for end, reset in zip(ends, sorted(resets))) <= limit(0.5)
    target.expect_reasons(client_reset=TIMES)
    target.quiet()
