# SPDX-License-Identifier: Apache-2.0
"""B05: writing to a socket whose peer is gone.

A backend streams 10 MiB; the client reads 4 KiB and resets; 500 times, 20 at a time. A process
that does not mind SIGPIPE dies of it. Expected: the same process still echoes, and its memory has
grown by at most 2 MiB (counted after a first round of 20). CI: 200 times.
"""

from kit import (Script, each_way, limit, linger0, receive, receive_exactly, scaled, send_pattern,
                 together)

TIMES = scaled(200, 500)


def stream_or_echo(sock, _index):
    kind = receive_exactly(sock, 1, limit(5))
    if kind == b"S":
        send_pattern(sock, 5, 10 << 20, limit(10))
    sock.sendall(kind)


@each_way
def test_B05_sigpipe(stage, way):
    target = stage.target(way, [stage.backend(Script(stream_or_echo, forked=True))])

    def client(_):
        sock = stage.connect(target)
        sock.sendall(b"S")
        assert receive(sock, limit(5), count=4096, seed=5).count == 4096
        linger0(sock)

    together(20, parallel=20, task=client)
    before = target.rss() if target.is_l4lb else 0
    together(TIMES, parallel=20, task=client)
    if target.is_l4lb:
        assert target.sanitized or target.rss() - before <= 2 << 20
        target.expect_reasons(client_reset=TIMES + 20)
    last = stage.connect(target)
    last.sendall(b"E")
    assert receive(last, limit(1)).data == b"E"
    last.close()
    target.quiet()
