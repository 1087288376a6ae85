# SPDX-License-Identifier: Apache-2.0
"""B01: a reset by the backend stays a reset.

The client sends one byte, the backend resets on receipt. If the client saw a clean end it could
not tell a crash from the end of the answer. Expected: ECONNRESET at the client within 0.5 s, 100
of 100 times, and the close reason backend_reset.
"""

from kit import Script, each_way, limit, linger0, receive, receive_exactly

TIMES = 100


def reset_on_receipt(sock, _index):
    receive_exactly(sock, 1, limit(5))
    linger0(sock)


@each_way
def test_B01_backend_reset(stage, way):
    target = stage.target(way, [stage.backend(Script(reset_on_receipt))])
    for _ in range(TIMES):
        client = stage.connect(target)
        client.sendall(b"x")
        arrival = receive(client, limit(0.5))
        client.close()
        assert (arrival.data, arrival.end) == (b"", "reset")
    target.expect_reasons(backend_reset=TIMES)
    target.quiet()
