# SPDX-License-Identifier: Apache-2.0
"""L04: a graceful stop ends, accepts nobody, and lets sessions finish.

5 idle long connections; SIGTERM with a drain time-out of 5 s (in CI 2 s); every 200 ms a new
connection is tried.  Expected: refused from at most 200 ms on; the old ones work until the
deadline; exit status 0 up to 1 s after it, and the sessions that were cut say `shutdown`.  Second
run: the clients leave by themselves before the deadline; the exit follows at most 0.5 s after the
last.
"""

import errno
import signal
import socket
import time

from kit import Echo, each_engine, limit, scaled, wait_until
from kit.ends import await_close, echoes

import pytest

DRAIN = scaled(2, 5)
SESSIONS = 5


def refused(address):
    with socket.socket() as sock:
        sock.settimeout(1)
        return sock.connect_ex(address) == errno.ECONNREFUSED


def reasons(target, names):
    """Close reasons of these clients' sessions.  The log may have more: an attempt to connect that
    came before the port was closed."""
    return [line["reason"] for line in target.access_log(SESSIONS) if line["client"] in names]


def begin_stop(stage, way):
    target = stage.target(way, [stage.backend(Echo())], drain_timeout=f"{DRAIN}s")
    if not target.is_l4lb:
        pytest.skip("this is about l4lb's own signals")
    clients = [stage.connect(target) for _ in range(SESSIONS)]
    assert all(echoes(client) for client in clients)
    begin = time.monotonic()
    target.signal(signal.SIGTERM)
    wait_until(lambda: refused(target.address), limit(0.2), "new connections to be refused")
    return target, clients, begin


@each_engine
def test_L04_deadline(stage, way):
    target, clients, begin = begin_stop(stage, way)
    names = ["%s:%d" % client.getsockname() for client in clients]
    while time.monotonic() - begin < DRAIN - 0.4:
        assert refused(target.address)
        assert all(echoes(client, within=0.2) for client in clients)
        time.sleep(0.2)
    for client in clients:
        await_close(client, within=limit(DRAIN + 1))
    assert time.monotonic() - begin >= DRAIN - 0.02
    assert target.wait(limit(1)) == 0
    assert DRAIN - 0.02 <= time.monotonic() - begin <= DRAIN + limit(1)
    assert reasons(target, names) == ["shutdown"] * SESSIONS


@each_engine
def test_L04_clients_leave(stage, way):
    target, clients, begin = begin_stop(stage, way)
    names = ["%s:%d" % client.getsockname() for client in clients]
    time.sleep(0.2)
    assert all(echoes(client) for client in clients)
    for client in clients:
        assert target.alive()
        client.close()
    last = time.monotonic()
    assert target.wait(limit(0.5)) == 0
    assert time.monotonic() - last <= limit(0.5)
    assert time.monotonic() - begin < DRAIN, "it waited for the deadline"
    assert reasons(target, names) == ["client_fin"] * SESSIONS
