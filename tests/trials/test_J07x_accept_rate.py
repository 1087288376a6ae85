# SPDX-License-Identifier: Apache-2.0
"""J07x (ours): above `accept_rate` clients wait in the backlog, and none is lost.

`accept_rate: 20`, two workers, 60 clients at once.  Expected: all connect and all are served, 20 a
second and at most 20 at once, over all workers; no busy loop meanwhile; the listener counts that it
paused for this reason.  When all is over a new client is served without waiting.
"""

import time

from kit import Ident, limit, only_l4lb, together
from kit.ends import name_of, turns, visit

RATE, CLIENTS = 20, 60


@only_l4lb
def test_J07x_accept_rate(stage, way):
    target = stage.target(way, [stage.backend(Ident(name="b"))], accept_rate=RATE, workers=2)
    before, begin = turns(target), time.monotonic()
    clients = [stage.connect(target) for _ in range(CLIENTS)]

    def served_at(number):
        assert name_of(clients[number], within=limit(CLIENTS / RATE)) == "b"
        return time.monotonic() - begin

    times = sorted(together(CLIENTS, CLIENTS, served_at))
    assert times[-1] >= (CLIENTS - RATE - 1) / RATE, f"all served in {times[-1]:.2f} s"
    for number, at in enumerate(times):
        assert number <= RATE * (at + 1) + 1, f"client {number} was served at {at:.2f} s"
    assert turns(target) - before <= 30 * CLIENTS + 50 * times[-1]
    assert target.listener()["paused_accept_rate"] > 0
    stage.close_clients()
    time.sleep(1.2)
    begin = time.monotonic()
    assert visit(target) == "b"
    assert time.monotonic() - begin <= limit(0.2)
    target.expect_reasons(client_fin=CLIENTS + 1)
    target.quiet()
