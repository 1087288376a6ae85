# SPDX-License-Identifier: Apache-2.0
"""E01: out of descriptors, the listener must neither spin nor flood the log.

The daemon may have 64 descriptors; 100 idle clients connect.  Expected for 5 s: no busy loop, at
most 10 lines in the log, and the clients that were served still are.  Then the first 60 clients
leave: those that waited in the backlog are served within 1 s, as many as there is room for.

At 64 descriptors it is `max_connections` (clamped to what fits) that pauses the listener.  The
second trial takes the descriptors away afterwards, so that accept4 itself fails with EMFILE.
There a client may be accepted with the last descriptor and closed for want of one toward its
backend (`no_fd`); that happens at most once per retry of the paused listener (100 ms) or session
that leaves, and never to a client that was served.
"""

import resource
import socket
import time

import pytest

from kit import Echo, limit, scaled, wait_until
from kit.ends import echoes
from kit.stage import ENGINES

each_engine = pytest.mark.parametrize("way", ENGINES)
CLIENTS, LEAVING = 100, 60


def served(target):
    """Sessions that are active now."""
    return target.listener()["active"]


def settled(target):
    """The number of active sessions once it stays the same."""
    before = served(target)
    time.sleep(0.3)
    return before if before and served(target) == before else 0


def dial(stage, target):
    """A client that may be reset at once."""
    sock = socket.socket()
    stage.keep(sock, sock.close)
    sock.settimeout(limit(5))
    try:
        sock.connect(target.address)
    except ConnectionResetError:
        pass
    sock.setblocking(True)
    return sock


def closed(sock):
    sock.setblocking(False)
    try:
        return sock.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        sock.setblocking(True)


def observe(target, seconds):
    """Nothing happens for a while; returns how many lines were logged."""
    lines = len(target.stderr)
    asked = 2
    target.check_rest(busy=scaled(30, 90))  # The paused listener looks every 100 ms.
    time.sleep(seconds)
    return len(target.stderr) - lines - asked


@each_engine
def test_E01_no_room(stage, way):
    target = stage.target(way, [stage.backend(Echo())], nofile=64)
    clients = [stage.connect(target) for _ in range(CLIENTS)]
    places = wait_until(lambda: settled(target), limit(5), "the first sessions")
    assert 10 <= places <= (64 - 32) / 2, f"{places} sessions with 64 descriptors"
    assert observe(target, scaled(1, 2)) <= 10
    assert all(echoes(client) for client in clients[:places])
    for client in clients[:LEAVING]:
        client.close()
    waiting = clients[LEAVING:LEAVING + places]
    begin = time.monotonic()
    assert all(echoes(client) for client in waiting), "clients in the backlog are not served"
    assert time.monotonic() - begin <= limit(1)
    for client in clients[LEAVING:]:
        client.close()
    target.quiet()


# A session takes two: with one of these an odd one is left over.
@pytest.mark.parametrize("descriptors", [64, 65])
@each_engine
def test_E01_emfile(stage, way, descriptors):
    target = stage.target(way, [stage.backend(Echo())], nofile=300)
    first = [stage.connect(target) for _ in range(10)]
    assert all(echoes(client) for client in first)
    resource.prlimit(target.pid, resource.RLIMIT_NOFILE, (descriptors, 300))
    clients = first + [dial(stage, target) for _ in range(CLIENTS - len(first))]
    begin = time.monotonic()
    wait_until(lambda: target.listener()["accept_errors"] + target.listener()["accept_pauses"],
               limit(5), "accept to fail")
    assert observe(target, scaled(1, 2)) <= 10
    took = time.monotonic() - begin
    assert all(echoes(client) for client in first)
    lost = [client for client in clients if closed(client)]
    assert len(lost) <= 2 + took * 10, f"{len(lost)} clients lost in {took:.1f} s"
    assert not any(client in lost for client in first)
    living = [client for client in clients if client not in lost]
    for client in living[:LEAVING // 2]:
        client.close()
    begin = time.monotonic()
    waiting = [client for client in living[LEAVING // 2:LEAVING // 2 + 10] if not closed(client)]
    assert waiting and sum(echoes(client) for client in waiting) >= len(waiting) / 2
    assert time.monotonic() - begin <= limit(1)
    resource.prlimit(target.pid, resource.RLIMIT_NOFILE, (300, 300))
    last = stage.connect(target)
    assert echoes(last)
    for client in [*clients, last]:
        client.close()
    target.quiet()
