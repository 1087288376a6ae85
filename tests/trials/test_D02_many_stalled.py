# SPDX-License-Identifier: Apache-2.0
"""D02: many stalled uploads together.

200 clients upload without pause to backends that do not read, for 10 s (CI: until nothing more is
taken). Expected: the process grows by at most 200 times its two buffers of 16 KiB and 5 MiB, it
does not work while all are stalled, and on a 201st connection, to an echo, 99 % of the round
trips take at most 20 ms.
"""

import time

from kit import (Script, each_engine, limit, receive, receive_exactly, scaled, send_until_blocked,
                 together)

STALLED = 200
BUFFERS = 2 * (16 << 10)
SMALL = 65536  # Socket buffers of the peers, so that the trial itself needs little memory.


def stall_or_echo(sock, _index):
    if receive_exactly(sock, 1, limit(10)) == b"E":
        while data := sock.recv(4096):
            sock.sendall(data)
    else:
        time.sleep(600)


@each_engine
def test_D02_many_stalled(stage, way):
    backend = stage.backend(Script(stall_or_echo, forked=True, rcvbuf=SMALL))
    target = stage.target(way, [backend])
    before = target.rss()

    def upload(_):
        sock = stage.connect(target, sndbuf=SMALL)
        sock.sendall(b"U")
        return send_until_blocked(sock, 2, still=scaled(0.5, 10), most=1 << 30)

    assert min(together(STALLED, STALLED, upload)) > SMALL
    if target.is_l4lb and not target.sanitized:
        assert target.rss() - before <= STALLED * BUFFERS + (5 << 20)
    target.check_rest(busy=STALLED)  # A timer of every session may fire.

    sock, trips = stage.connect(target), []
    sock.sendall(b"E")
    for _ in range(200):
        begin = time.monotonic()
        sock.sendall(b"ping")
        assert receive(sock, limit(2), count=4).data == b"ping"
        trips.append(time.monotonic() - begin)
    assert sorted(trips)[197] <= limit(0.02)
    backend.kill()
    stage.close_clients()
    target.quiet()
