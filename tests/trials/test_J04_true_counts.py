# SPDX-License-Identifier: Apache-2.0
"""J04: the counts of least connections are true.

Three backends, 30 long connections: 10 at each.  The 10 of the first are closed and 10 opened: all
at the first.  Then 500 clients (in CI 200) that reset at random times within 10 ms, and 200 (in CI
100) whose first backend refuses, while the 30 stay.  Expected: the gauge of every backend then
equals what the kernel's table has, exactly, and none was ever negative.
"""

import random
import time

from kit import (Entry, Ident, Refuse, each_engine, kernel_sockets, limit, linger0, only_l4lb,
                 scaled, together, wait_until)
from kit.configuration import service
from kit.ends import open_named, visit

LEAVING, REFUSED = scaled(200, 500), scaled(100, 200)
SEED = 0xCAFE
POLICY = "least_connections"


def spread(stage, target):
    """10 at each; those of b0 closed and opened again."""
    clients = open_named(stage, target, 30)
    assert {name: len(socks) for name, socks in clients.items()} == dict(b0=10, b1=10, b2=10)
    for sock in clients.pop("b0"):
        sock.close()
    if target.is_l4lb:
        wait_until(lambda: gauges(target, "default")["b0"] == 0, limit(2), "the end of 10 sessions")
    else:
        time.sleep(limit(0.2))
    again = open_named(stage, target, 10)
    assert {name: len(socks) for name, socks in again.items()} == dict(b0=10)


def gauges(target, pool):
    found = {name: b["active"] for name, b in target.pool(pool)["backends"].items()}
    assert all(0 <= active < 1 << 32 for active in found.values()), found
    return found


def in_kernel(backends):
    """The daemon's established connections to each backend."""
    return {b.name: sum(s.state == "ESTABLISHED" for s in kernel_sockets(remote_port=b.port))
            for b in backends}


@each_engine
def test_J04_spread(stage, way):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(3)]
    target = stage.target(way, backends, policy=POLICY)
    spread(stage, target)
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_J04_true_counts(stage, way):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(3)]
    dead = stage.backend(Refuse(name="dead"))
    listeners, pools = zip(service("default", backends, policy=POLICY),
                           service("refused", [dead, *backends], policy=POLICY))
    target = stage.target(way, [], listeners=list(listeners), pools=list(pools))
    spread(stage, target)
    chance = random.Random(SEED)
    pauses = [chance.uniform(0, 0.01) for _ in range(LEAVING)]

    def leave(number):
        sock = stage.connect(target)
        time.sleep(pauses[number])
        linger0(sock)
        if number % 20 == 0:
            gauges(target, "default")

    together(LEAVING, 8, leave)
    together(REFUSED, 8, lambda _: visit(Entry(target.addresses[1])))

    def settled():
        seen = gauges(target, "default")
        return seen == in_kernel(backends) == dict(b0=10, b1=10, b2=10)

    wait_until(settled, limit(2), f"the gauges to be the kernel's counts (seed {SEED:#x})")
    refused = target.pool("refused")
    assert refused["connects_failed"] > 0 and refused["connects_established"] == REFUSED
    assert set(gauges(target, "refused").values()) == {0}
    stage.close_clients()
    target.quiet()
