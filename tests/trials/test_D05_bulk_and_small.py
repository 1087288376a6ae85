# SPDX-License-Identifier: Apache-2.0
"""D05: bulk traffic must not starve small messages and new connections.

4 downloads without a brake; meanwhile one byte goes back and forth on a fifth connection, and 20
new connections a second echo once, for 10 s (in CI 3 s).  Expected: 99 % of the round trips take at
most 50 ms, and 99 % of the new connections have their echo within 100 ms.
"""

import time

from kit import Forked, Script, connect, each_engine, limit, receive, receive_exactly, scaled, send
from kit import send_pattern
from kit.ends import echoes

SECONDS = scaled(3, 10)
ENDLESS = 1 << 50


def bulk_or_echo(sock, _index):
    """What the client's first byte says."""
    if receive_exactly(sock, 1, limit(10)) == b"B":
        send_pattern(sock, 5, ENDLESS, within=600)
    else:
        while data := sock.recv(4096):
            sock.sendall(data)


def download(address):
    """Reads without looking; returns the bytes read in the trial's time."""
    end, total = time.monotonic() + SECONDS + 1, 0
    with connect(address) as sock:
        sock.sendall(b"B")
        sock.settimeout(limit(2))
        memory = bytearray(1 << 20)
        while time.monotonic() < end:
            total += sock.recv_into(memory)
    return total


def ping(address):
    """Round trips of one byte, in seconds each."""
    trips, end = [], time.monotonic() + SECONDS
    with connect(address) as sock:
        sock.sendall(b"E")
        while time.monotonic() < end:
            begin = time.monotonic()
            send(sock, b"1", limit(1))
            assert receive(sock, limit(1), count=1).data == b"1"
            trips.append(time.monotonic() - begin)
            time.sleep(0.001)
    return trips


def visitors(address):
    """20 new connections a second; from the connect to the first echo, in seconds each."""
    took, start = [], time.monotonic()
    for number in range(20 * SECONDS):
        time.sleep(max(0, start + number / 20 - time.monotonic()))
        begin = time.monotonic()
        with connect(address) as sock:
            sock.sendall(b"E")
            assert echoes(sock)
            took.append(time.monotonic() - begin)
    return took


def p99(values):
    return sorted(values)[int(0.99 * (len(values) - 1))]


@each_engine
def test_D05_bulk_and_small(stage, way):
    target = stage.target(way, [stage.backend(Script(bulk_or_echo, forked=True))])
    parts = [Forked(download, target.address) for _ in range(4)]
    time.sleep(0.2)
    parts += [Forked(ping, target.address), Forked(visitors, target.address)]
    for part in parts:
        stage.keep(part, part.kill)
    *bulk, trips, visits = [part.result(SECONDS + limit(5)) for part in parts]
    assert min(bulk) > SECONDS << 20, bulk
    assert len(trips) > SECONDS and p99(trips) <= limit(0.05), p99(trips)
    assert len(visits) == 20 * SECONDS and p99(visits) <= limit(0.1), p99(visits)
    target.quiet()
