# SPDX-License-Identifier: Apache-2.0
"""H03: keepalive on both sides, and probes are not traffic.

Keepalive after 5 s, idle time-out 8 s (in CI 3 s); the client probes by itself every 2 s (in CI 1
s). Expected: both of the daemon's sockets have a running keepalive timer of at most 5 s; the idle
time-out ends the session on time all the same, since no byte moved.
"""

import time

from kit import Echo, each_engine, limit, scaled, wait_until
from kit.ends import await_close, echoes, keep_alive

IDLE = scaled(3, 8)
ESTABLISHED, KEEPALIVE_TIMER = "01", "02"


def keepalive_timers(port_at_us, port_at_peer):
    """Seconds left on the keepalive timers of established sockets with these ports (None: any)."""
    timers = []
    with open("/proc/net/tcp", encoding="ascii") as file:
        for line in list(file)[1:]:
            fields = line.split()
            ours, theirs = (int(fields[i].split(":")[1], 16) for i in (1, 2))
            if fields[3] != ESTABLISHED or port_at_us not in (None, ours):
                continue
            if port_at_peer not in (None, theirs):
                continue
            kind, left = fields[5].split(":")
            timers.append(int(left, 16) / 100 if kind == KEEPALIVE_TIMER else None)
    return timers


def running(timers):
    return len(timers) == 1 and timers[0] is not None and timers[0] <= 5


@each_engine
def test_H03_keepalive(stage, way):
    backend = stage.backend(Echo())
    target = stage.target(way, [backend], idle_timeout=f"{IDLE}s",
                          keepalive={"idle": "5s", "interval": "5s", "count": 3})
    client = stage.connect(target)
    keep_alive(client, scaled(1, 2))
    assert echoes(client)
    begin = time.monotonic()
    if target.is_l4lb:
        for ports in ((target.address[1], None), (None, backend.port)):
            # The backend's side has it once the session is a second old.
            wait_until(lambda: running(keepalive_timers(*ports)), limit(1.5), f"timers of {ports}")
    await_close(client, within=limit(IDLE + 0.6))
    took = time.monotonic() - begin
    assert IDLE - 0.2 <= took <= limit(IDLE + 0.6)
    client.close()
    target.expect_reasons(idle_timeout=1)
    target.quiet()
