# SPDX-License-Identifier: Apache-2.0
"""C08: a pipe or buffer that served one connection holds nothing for the next.

8 in parallel, 500 times (CI: 60): connection 1 asks for 1 MiB of `S`, reads nothing and resets
after 20 ms, so that bytes lie in the balancer's hands; at once connection 2 sends its own text to
an echo. Expected: connection 2 reads exactly its own text, every time.
"""

import time

from kit import (Script, each_way, limit, linger0, receive, receive_exactly, scaled, send,
                 together)

PARALLEL = 8
TIMES = scaled(60, 500)


def flood_or_echo(sock, _index):
    kind = receive(sock, limit(5), count=1).data  # Empty when the reset was faster.
    if kind == b"S":
        send(sock, b"S" * (1 << 20), limit(5))
    elif kind == b"E":
        while data := sock.recv(65536):
            sock.sendall(data)


@each_way
def test_C08_recycled_pipe(stage, way):
    target = stage.target(way, [stage.backend(Script(flood_or_echo, forked=True))])

    def client(number):
        first = stage.connect(target, rcvbuf=4096)
        first.sendall(b"S")
        time.sleep(0.02)
        linger0(first)
        second = stage.connect(target)
        second.sendall(b"E")
        text = b"hello-%d" % number
        second.sendall(text)
        assert receive_exactly(second, len(text), limit(1)) == text
        second.close()

    together(PARALLEL * TIMES, PARALLEL, client)
    target.quiet()
