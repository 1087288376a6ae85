# SPDX-License-Identifier: Apache-2.0
"""A01: the client half-closes, and the answer comes late.

A client sends 1 MiB and shuts its writing side down; the backend reads to the end, thinks for 1 s
and answers with the number of bytes. Whoever takes the client's FIN for the end of the connection
loses the answer. Expected: 20 of 20 clients (here in parallel) get the right answer and a clean
end after 1 to 2 s.
"""

import socket
import time

from kit import Script, each_way, limit, receive, scaled, send_pattern, together

SIZE = 1 << 20


def count_and_answer(sock, index):
    arrival = receive(sock, limit(10), seed=1)
    time.sleep(1)
    sock.sendall(b"GOT:%d" % arrival.count)
    return arrival.count


@each_way
def test_A01_client_half_close(stage, way):
    target = stage.target(way, [stage.backend(Script(count_and_answer))])

    def client(_):
        sock = stage.connect(target)
        send_pattern(sock, 1, SIZE, limit(5))
        sock.shutdown(socket.SHUT_WR)
        return receive(sock, limit(2))

    for arrival in together(20, parallel=scaled(20, 1), task=client):
        assert (arrival.data, arrival.end) == (b"GOT:%d" % SIZE, "fin")
        assert 0.9 <= arrival.seconds <= limit(2)
    target.expect_reasons(client_fin=20)
    target.quiet()
