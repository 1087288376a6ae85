# SPDX-License-Identifier: Apache-2.0
"""E01: out of descriptors, the listener must neither spin nor flood the log.

The daemon may have 64 descriptors; 100 idle clients connect.  Expected for 5 s: no busy loop, at
most 10 lines in the log, and the clients that were served still are.  Then 60 clients leave, the
served ones among them: of those that waited in the backlog as many as there is room for are served
within 1 s.

At 64 descriptors it is `max_connections` (clamped to what fits) that pauses the listener.  The
second trial takes the descriptors away afterwards, so that accept4 itself fails with EMFILE.  There
a client may be accepted with the last descriptor and closed for want of one toward its backend
(`no_fd`); that happens at most once per retry of a paused listener (100 ms; every worker has one)
or session that leaves, and never to a client that was served.
"""

import resource
import socket
import time

import pytest

from kit import Echo, limit, scaled, wait_until
from kit.configuration import WORKERS
from kit.ends import dial, echoes
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


def peek(sock):
    """The next byte, b"" at the end; None when there is none yet."""
    try:
        return sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def closed(sock):
    return peek(sock) == b""


def ask(clients):
    """Each asks for an echo, which comes once it is served."""
    for client in clients:
        try:
            client.sendall(b"x")
        except OSError:  # It was closed meanwhile.
            pass


def answered(clients):
    return [client for client in clients if peek(client) == b"x"]


def observe(target, seconds):
    """Nothing happens for a while; returns how many lines were logged."""
    lines = len(target.stderr)
    target.check_rest(busy=WORKERS * scaled(45, 135))  # Paused listeners look every 100 ms.
    time.sleep(seconds)
    return len([line for line in target.stderr[lines:] if not line.startswith('{"')])


@each_engine
def test_E01_no_room(stage, way):
    target = stage.target(way, [stage.backend(Echo())], nofile=64, admin={"bind": "off"})
    clients = [stage.connect(target) for _ in range(CLIENTS)]
    ask(clients)
    places = wait_until(lambda: settled(target), limit(5), "the first sessions")
    assert places == target.stats()["max_connections"]
    assert 8 <= places <= (64 - 32) / 2, f"{places} sessions with 64 descriptors"
    assert observe(target, scaled(1, 2)) <= 10
    first = answered(clients)
    assert len(first) == places
    assert all(client.recv(1) == b"x" and echoes(client) for client in first)
    waiting = [client for client in clients if client not in first]
    for client in first + waiting[:LEAVING - places]:
        client.close()
    staying = waiting[LEAVING - places:]
    wait_until(lambda: len(answered(staying)) == places, limit(1), "those in the backlog")
    for client in staying:
        client.close()
    target.quiet()


# A session takes two: with one of these an odd one is left over.
@pytest.mark.parametrize("descriptors", [64, 65])
@each_engine
def test_E01_emfile(stage, way, descriptors):
    target = stage.target(way, [stage.backend(Echo())], nofile=1000, admin={"bind": "off"})
    first = [stage.connect(target) for _ in range(10)]
    assert all(echoes(client) for client in first)
    begin = time.monotonic()
    resource.prlimit(target.pid, resource.RLIMIT_NOFILE, (descriptors, 1000))
    clients = first + [dial(stage, target) for _ in range(CLIENTS * (1 + WORKERS))]
    wait_until(lambda: target.listener()["accept_errors"] + target.pauses(), limit(5),
               "accept to fail")
    assert observe(target, scaled(1, 2)) <= 10
    took = time.monotonic() - begin
    assert all(echoes(client) for client in first)
    lost = [client for client in clients if closed(client)]
    assert len(lost) <= WORKERS * (2 + took * 10), f"{len(lost)} clients lost in {took:.1f} s"
    assert not any(client in lost for client in first)
    living = [client for client in clients if client not in lost]
    for client in first + living[len(first):LEAVING // 2]:
        client.close()
    waiting = living[LEAVING // 2:]
    ask(waiting)
    wait_until(lambda: len(answered(waiting)) >= len(first) / 2, limit(1), "those who waited")
    resource.prlimit(target.pid, resource.RLIMIT_NOFILE, (1000, 1000))
    last = stage.connect(target)
    assert echoes(last)
    for client in [*clients, last]:
        client.close()
    target.quiet()
