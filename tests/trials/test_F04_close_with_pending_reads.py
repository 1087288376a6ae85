# SPDX-License-Identifier: Apache-2.0
"""F04: closing a connection that is being read from tells both peers.

An engine that has a read in flight holds a reference to the socket; a plain close() then sends no
FIN until that read ends, which it never does.  50 idle connections are closed by the daemon: (a) by
an idle time-out of 2 s, (c) at the deadline of a graceful stop.  Expected: clients and backends see
the end within 0.5 s of the event, and the kernel has no established connection of theirs left.
"""

import signal
import time

from kit import Script, each_engine, kernel_sockets, limit, wait_until
from kit.ends import await_close, echoes

CONNECTIONS = 50
IDLE = DRAIN = 2
LATE = 0.5


def echo_once_and_wait(sock, _index):
    """Result: when the end came."""
    sock.sendall(sock.recv(1))
    await_close(sock, within=limit(10))
    return time.monotonic()


def begin(stage, way, **options):
    backend = stage.backend(Script(echo_once_and_wait))
    target = stage.target(way, [backend], **options)
    clients = [stage.connect(target) for _ in range(CONNECTIONS)]
    assert all(echoes(client) for client in clients)
    return backend, target, clients


def check_ends(backend, clients, target, event):
    """Both sides have learnt it in time, and the kernel agrees.  `event`: seconds from now."""
    due = time.monotonic() + event
    for client in clients:
        await_close(client, within=max(0, due - time.monotonic()) + limit(LATE))
    wait_until(lambda: len(backend.results) == CONNECTIONS, limit(LATE), "the ends at the backend")
    assert max(backend.results) <= due + limit(LATE)
    ports = (target.address[1], backend.port)
    assert not [s for port in ports for s in kernel_sockets(local_port=port)
                if s.state == "ESTABLISHED"]


@each_engine
def test_F04_a_idle_timeout(stage, way):
    backend, target, clients = begin(stage, way, idle_timeout=f"{IDLE}s")
    check_ends(backend, clients, target, event=IDLE)
    target.expect_reasons(idle_timeout=CONNECTIONS)
    stage.close_clients()
    target.quiet()


@each_engine
def test_F04_c_stop_deadline(stage, way):
    backend, target, clients = begin(stage, way, drain_timeout=f"{DRAIN}s")
    target.signal(signal.SIGTERM)
    check_ends(backend, clients, target, event=DRAIN)
    assert target.wait(limit(LATE)) == 0
