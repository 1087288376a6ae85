# SPDX-License-Identifier: Apache-2.0
"""G05: clients that leave while the connect to the backend is pending.

The only backend is a black hole, the connect time-out is 10 s (in CI 4 s).  Of 100 clients (in CI
40) half close at once without data, half reset.  Expected: the connects of those that reset are
given up within 1 s; the others' at the latest 1 s after the connect time-out, and no descriptor is
left.  In a second run the backend wakes up before that, the connects succeed late and the backend
sees the end of each of them: no connection is left that serves nobody.
"""

import time

from kit import Blackhole, each_engine, limit, linger0, receive, scaled, wait_until

CLIENTS = scaled(40, 100)
TIMEOUT = scaled(4, 10)


def leave(stage, target):
    """Half of the clients close in order, half reset, all before the backend has answered."""
    begin = time.monotonic()
    clients = [stage.connect(target) for _ in range(CLIENTS)]
    for client in clients[::2]:
        client.close()
    for client in clients[1::2]:
        linger0(client)
    return begin


def only_orderly_left(target):
    return target.listener()["active"] == CLIENTS // 2


@each_engine
def test_G05_never_answered(stage, way):
    target = stage.target(way, [stage.backend(Blackhole())], connect_timeout=f"{TIMEOUT}s")
    fds = target.fds()
    begin = leave(stage, target)
    if target.is_l4lb:
        wait_until(lambda: only_orderly_left(target), limit(1), "the connects to be given up")
        assert time.monotonic() - begin < TIMEOUT, "too slow to tell"
        assert target.fds() <= fds + CLIENTS
        target.check_rest()
    wait_until(lambda: target.fds() <= fds, TIMEOUT + limit(1), "the descriptors")
    target.expect_reasons(client_reset=CLIENTS // 2, connect_timeout=CLIENTS // 2)
    target.quiet()


@each_engine
def test_G05_answered_late(stage, way):
    hole = stage.backend(Blackhole())
    # A blocked SYN is repeated after 1 s: time enough for the kernel to connect.
    target = stage.target(way, [hole], connect_timeout="20s")
    leave(stage, target)
    time.sleep(0.3)
    hole.open()
    ends = []
    for _ in range(CLIENTS // 2):
        sock = hole.accept(within=limit(4))
        ends.append(receive(sock, within=limit(2)).end)
        sock.close()
    assert ends == ["fin"] * (CLIENTS // 2)
    target.expect_reasons(client_reset=CLIENTS // 2, client_fin=CLIENTS // 2)
    target.quiet()
