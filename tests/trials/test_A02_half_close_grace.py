# SPDX-License-Identifier: Apache-2.0
"""A02: how long a half-closed connection may live.

(slow answer) The client sends 1 KiB and shuts writing down; the backend stays silent for 8 s,
then sends 64 KiB as 16 pieces, one every 250 ms, and closes. With the default configuration
everything arrives. (timeout) With half_close_timeout set to 3 s and a far end that never
finishes, both ends are closed 3 to 4 s after the FIN, whichever side had sent it, and the close
reason says so. (trickle) A connection on which a byte moves every second for 10 s is not cut by
that time-out. CI divides all these times by four (without L4LB_STRICT=1).
"""

import socket
import time

import pytest

from kit import (STRICT, Script, each_engine, each_way, limit, receive, scaled, send, send_pattern,
                 wait_until)

UNIT = scaled(0.25, 1)  # Seconds of this run per second of the trial.
TIMEOUT = {"half_close_timeout": scaled("750ms", "3s")}


def slow_answer(sock, _index):
    arrival = receive(sock, limit(5))
    time.sleep(8 * UNIT)
    for piece in range(16):
        send_pattern(sock, 2, 4096, limit(1), offset=piece * 4096)
        time.sleep(0.25 * UNIT)
    return arrival.count


@each_way
def test_A02_slow_answer_arrives(stage, way):
    backend = stage.backend(Script(slow_answer))
    target = stage.target(way, [backend])
    client = stage.connect(target)
    send_pattern(client, 1, 1024, limit(1))
    client.shutdown(socket.SHUT_WR)
    arrival = receive(client, limit(13), seed=2)
    assert (arrival.count, arrival.end) == (65536, "fin")
    assert 11 * UNIT <= arrival.seconds <= limit(13 * UNIT)
    target.quiet()


def finish_and_wait(sock):
    """The end that finishes: shuts writing down; returns how and when the other side ended."""
    sock.shutdown(socket.SHUT_WR)
    arrival = receive(sock, limit(4 * UNIT))
    return arrival.end, arrival.seconds


def gone(sock):
    """Whether sending fails: after a plain close of the far end it does from the second byte on."""
    try:
        sock.send(b"x")
        return False
    except (BrokenPipeError, ConnectionResetError):
        return True


def stay_silent(sock):
    """The other end: sees the FIN, never finishes, and finds the connection gone."""
    assert receive(sock, limit(1)).end == "fin"
    time.sleep(4.5 * UNIT)
    wait_until(lambda: gone(sock), limit(1), "the end of the silent end's connection")


@pytest.mark.parametrize("first", ["client", "backend"])
@each_engine
def test_A02_half_close_timeout(stage, way, first):
    of_client, of_backend = finish_and_wait, stay_silent
    if first == "backend":
        of_client, of_backend = of_backend, of_client
    backend = stage.backend(Script(lambda sock, _: of_backend(sock)))
    target = stage.target(way, [backend], **TIMEOUT)
    result = of_client(stage.connect(target))
    wait_until(lambda: backend.results, limit(8 * UNIT), "the backend's end")
    end, seconds = result or backend.results[0]
    assert end in ("fin", "reset")
    assert 2.9 * UNIT <= seconds <= limit(4 * UNIT)
    target.expect_reasons(half_close_timeout=1)
    target.quiet()


@each_way
def test_A02_trickle_is_not_cut(stage, way):
    def trickle(sock, _index):
        receive(sock, limit(1))
        for _ in range(10):
            time.sleep(UNIT if STRICT else 0.3)
            sock.sendall(b"b")

    target = stage.target(way, [stage.backend(Script(trickle))], **TIMEOUT)
    client = stage.connect(target)
    send(client, b"x", limit(1))
    client.shutdown(socket.SHUT_WR)
    arrival = receive(client, limit(15))
    assert (arrival.data, arrival.end) == (b"b" * 10, "fin")
    target.expect_reasons(client_fin=1)
    target.quiet()
