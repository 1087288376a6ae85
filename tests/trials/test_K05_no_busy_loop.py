# SPDX-License-Identifier: Apache-2.0
"""K05: no check spins, whatever it meets.

Checks every 500 ms that expect `well`, against servers that send rubbish and close, close at once,
are silent, or send 10 MiB.  Expected: at most 5 % CPU over 5 s (in CI over 1 s, and printed; but
far less than a loop that spins); each check fails, with a reason, and is not repeated before its
time; of the 10 MiB, in a network with small socket buffers, no more than 64 KiB and a buffer are
taken.
"""

import socket
import struct
import time

from kit import Script, limit, only_l4lb, receive, scaled, wait_until
from kit.api import Api
from kit.health import every
from kit.namespace import in_namespace, shrink_socket_buffers
from kit.wire import RESETS

import pytest

SECONDS, INTERVAL = scaled(1, 5), 0.5
MOST_CPU = scaled(30, 5)  # A spinning thread that has a quarter of a core shows, too.
CHECK = every(INTERVAL, "send_expect", expect="well")
FLOOD, READ, BUFFER = 10 << 20, 64 << 10, 64 << 10
ACKED_AT = 120  # tcpi_bytes_acked in struct tcp_info.


def rubbish(sock, _index):
    sock.sendall(b"\x00\xff rubbish \r\n" * 20)
    sock.shutdown(socket.SHUT_WR)
    receive(sock, limit(5))


def closes(_sock, _index):
    pass


def silent(sock, _index):
    receive(sock, limit(60))


def flood(sock, _index):
    """Result: how many bytes the far kernel has taken."""
    try:
        sock.sendall(bytes(FLOOD))
    except OSError as error:
        assert error.errno in RESETS
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, ACKED_AT + 8)
    return struct.unpack_from("Q", info, ACKED_AT)[0]


REASONS = {rubbish: "rubbish", closes: "closed", silent: "no \"well\" within 500", flood: "65536"}


def watch(stage, way, serve):
    backend = stage.backend(Script(serve))
    target = stage.target(way, [backend], health_check=CHECK)
    before, begun = backend.accepted, time.monotonic()
    cpu = target.cpu(SECONDS)
    asked, took = backend.accepted - before, time.monotonic() - begun
    print(f"{serve.__name__}: {cpu:.1f} % CPU, {asked} checks in {took:.1f} s")
    assert cpu <= MOST_CPU
    assert 1 <= asked <= took / (0.95 * INTERVAL) + 1

    def failed():
        check = Api(target).backends()["b1"]["check"]
        assert check["passed"] == 0, check
        return check if check["failed"] >= 3 else None
    check = wait_until(failed, limit(3 * INTERVAL), "three failures")
    assert check["last_reason"] and check["health"] == "down", check
    return target, backend, check["last_reason"]


@pytest.mark.parametrize("serve", [rubbish, closes, silent])
@only_l4lb
def test_K05_no_busy_loop(stage, way, serve):
    target, _, reason = watch(stage, way, serve)
    assert REASONS[serve] in reason, reason
    target.stop()


@only_l4lb
@in_namespace
def test_K05_flood(stage, way):
    try:
        shrink_socket_buffers(BUFFER)
    except OSError as error:
        pytest.skip(f"no socket buffers of its own: {error}")
    target, backend, reason = watch(stage, way, flood)
    assert REASONS[flood] in reason, reason
    target.stop()
    wait_until(lambda: len(backend.results) == backend.accepted, limit(1), "the checks' ends")
    assert 0 < max(backend.results) <= READ + 2 * BUFFER, backend.results
