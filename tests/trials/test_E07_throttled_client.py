# SPDX-License-Identifier: Apache-2.0
"""E07: a client that reads slowly must not wake the loop for events that cannot be served yet.

Eight clients read 32 KiB every 10 ms for 5 s.  Expected, by strace: at most 3 waits per call that
moved bytes (on an engine that does not wait for readiness: turns per 8 KiB moved); without strace
at most 15 % CPU.
"""

import re
import time

from kit import STRICT, Source, each_engine, limit, receive, scaled, together
from kit.ends import turns

CLIENTS = 8
SEED = 7
MOVES = ("read", "readv", "recvfrom", "recvmsg", "splice", "write", "writev", "sendto", "sendmsg")


def download(stage, target, seconds):
    """All clients read at their pace; returns the bytes that arrived."""
    socks = [stage.connect(target, rcvbuf=65536) for _ in range(CLIENTS)]
    arrivals = together(CLIENTS, CLIENTS, lambda i: receive(
        socks[i], within=seconds, seed=SEED, pace=(32768, 0.01)))
    for sock in socks:
        sock.close()
    return sum(arrival.count for arrival in arrivals)


def calls(path):
    """System call -> count, from the table of `strace -c`."""
    table = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if len(fields) >= 5 and re.fullmatch(r"[\d.]+", fields[0]) and fields[-1] != "total":
            table[fields[-1]] = int(fields[3])
    return table


@each_engine
def test_E07_waits(stage, way, tmp_path):
    path = tmp_path / "calls"
    backend = stage.backend(Source(1 << 40, seed=SEED, forked=True))
    target = stage.target(way, [backend], wrapper=["strace", "-f", "-c", "-o", str(path)])
    before = turns(target)
    moved = download(stage, target, scaled(2, 5))
    turned = turns(target) - before
    assert moved > CLIENTS << 20
    target.stop()
    table = calls(path)
    waits = table.get("epoll_wait", 0) + table.get("epoll_pwait", 0) + table.get("epoll_pwait2", 0)
    if waits:
        useful = sum(table.get(name, 0) for name in MOVES)
        assert waits <= 3 * useful, table
    else:
        assert turned <= 3 * moved / 8192, f"{turned} turns for {moved} bytes"


@each_engine
def test_E07_cpu(stage, way):
    backend = stage.backend(Source(1 << 40, seed=SEED, forked=True))
    target = stage.target(way, [backend])
    seconds = scaled(2, 5)
    cpu, before = target.cpu_seconds(), turns(target)
    begin = time.monotonic()
    moved = download(stage, target, seconds)
    took = time.monotonic() - begin
    assert turns(target) - before <= 3 * moved / 8192
    assert not STRICT or (target.cpu_seconds() - cpu) / took <= 0.15
    assert took <= limit(seconds + 1)
    target.quiet()
