# SPDX-License-Identifier: Apache-2.0
"""F01: a listener whose accept has ended on an error is armed again, and does not spin meanwhile.

An accept that yields connection after connection (io_uring's multishot) is over after one EMFILE.
Ten clients are served; then the daemon may have 64 descriptors only, and 100 more connect, so that
accept itself fails.  Expected: for 5 s (CI: 1 s) at most 10 % of a core (CI: few turns).  Then all
leave.  Expected: 100 of 100 new connections, 4 at a time, echo within 1 s; three times over.
"""

import resource
import time

from kit import STRICT, Echo, connect, each_engine, limit, scaled, together, wait_until
from kit.configuration import WORKERS
from kit.ends import dial, echoes

CLIENTS = 100


def failed_accepts(target):
    listener = target.listener()
    return listener["accept_errors"] + listener["paused_no_fd"]


@each_engine
def test_F01_listener_stays_alive(stage, way):
    target = stage.target(way, [stage.backend(Echo())], nofile=1000)
    first = [stage.connect(target) for _ in range(10)]
    assert all(echoes(client) for client in first)
    resource.prlimit(target.pid, resource.RLIMIT_NOFILE, (64, 1000))

    def newcomer(_):
        begin = time.monotonic()
        with connect(target.address) as sock:
            return echoes(sock, within=limit(1)) and time.monotonic() - begin <= limit(1)

    clients = first
    for _ in range(3):
        failures = failed_accepts(target)
        clients += [dial(stage, target) for _ in range(CLIENTS)]
        wait_until(lambda before=failures: failed_accepts(target) > before, limit(5),
                   "accept to fail")
        cpu = target.cpu(scaled(1, 5))
        assert not STRICT or cpu <= 10
        target.check_rest(busy=WORKERS * scaled(45, 135))  # Paused listeners look every 100 ms.
        for client in clients:
            client.close()
        clients = []
        wait_until(lambda: target.listener()["active"] == 0, limit(2), "everybody to leave")
        assert all(together(CLIENTS, 4, newcomer))
    resource.prlimit(target.pid, resource.RLIMIT_NOFILE, (1000, 1000))
    target.quiet()
