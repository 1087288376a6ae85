# SPDX-License-Identifier: Apache-2.0
"""G05: clients that leave while the connect to the backend is pending.

The only backend is a black hole, the connect time-out is 10 s (in CI 3 s).  Of 100 clients (in CI
40) half close at once without data, half reset.  Expected: the connects of those that reset are
given up within 1 s; the others' at the latest 1 s after the connect time-out, and no descriptor is
left.  In a second run the backend wakes up before that, the connects succeed late and the backend
sees the end of each of them: no connection is left that serves nobody.  All that with checks on
as well: in the first run they find the backend to be down meanwhile, in the second they ask
somebody else, who is well.  (In CI only with checks on.)
"""

import time

from kit import Blackhole, Echo, each_engine, limit, linger0, receive, scaled, wait_until
from kit.api import Api
from kit.health import every

import pytest

CLIENTS = scaled(40, 100)
TIMEOUT = scaled(3, 10)
IN_FLIGHT = 1  # Checks: one descriptor.

checked_or_not = pytest.mark.parametrize("checks", scaled([True], [False, True]))


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


@checked_or_not
@each_engine
def test_G05_never_answered(stage, way, checks):
    options = {"health_check": every(0.5, timeout="250ms")} if checks else {}
    target = stage.target(way, [stage.backend(Blackhole())], connect_timeout=f"{TIMEOUT}s",
                          **options)
    fds = target.fds() + IN_FLIGHT * checks
    begin = leave(stage, target)
    if target.is_l4lb:
        wait_until(lambda: only_orderly_left(target), limit(1), "the connects to be given up")
        assert time.monotonic() - begin < TIMEOUT, "too slow to tell"
        assert target.fds() <= fds + CLIENTS
        target.check_rest()
    wait_until(lambda: target.fds() <= fds, TIMEOUT + limit(1), "the descriptors")
    target.expect_reasons(client_reset=CLIENTS // 2, connect_timeout=CLIENTS // 2)
    if checks:
        assert Api(target).backends()["b1"]["check"]["health"] == "down"
    target.quiet()


@checked_or_not
@each_engine
def test_G05_answered_late(stage, way, checks):
    hole = stage.backend(Blackhole())
    well = stage.backend(Echo())
    options = {"health_check": every(0.2, port=well.port)} if checks else {}
    # A blocked SYN is repeated after 1 s: time enough for the kernel to connect.
    target = stage.target(way, [hole], connect_timeout="20s", **options)
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
