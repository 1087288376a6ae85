# SPDX-License-Identifier: Apache-2.0
"""B06: clients that are gone before they are accepted.

While the process is stopped 50 clients connect and 25 of them reset. After it continues the
aborted connections must not stop the listener: the other 25 echo within 1 s, a new connection
works, and at most one log line is written per aborted one.
"""

import signal

from kit import Echo, each_engine, limit, linger0, receive_exactly

HALF = 25


def echoes(sock):
    sock.sendall(b"ping")
    return receive_exactly(sock, 4, limit(1)) == b"ping"


@each_engine
def test_B06_gone_before_accept(stage, way):
    target = stage.target(way, [stage.backend(Echo())])
    lines = len(target.stderr) if target.is_l4lb else 0
    target.signal(signal.SIGSTOP)
    try:
        clients = [stage.connect(target) for _ in range(2 * HALF)]
        for sock in clients[::2]:
            linger0(sock)
    finally:
        target.signal(signal.SIGCONT)
    assert all(map(echoes, clients[1::2]))
    assert echoes(stage.connect(target))
    if target.is_l4lb:
        assert len(target.stderr) - lines <= HALF
    stage.close_clients()
    target.quiet()
