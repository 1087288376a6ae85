# SPDX-License-Identifier: Apache-2.0
"""N07: the log neither floods nor blocks.

(a) The only backend refuses, 500 connections a second for 5 s (in CI 1 s).  Expected: at most 100
lines a second in the log, and what was left out is counted.  (b) The access log goes to a pipe that
nobody reads (in the second run the event log and the counters, too), 200 echoes a second for 10 s
(in CI 2 s).  Expected: 99 % of the echoes within 20 ms, the lines that were dropped are counted,
and with the others they make up all sessions.  (c) As (b), on a file system of 64 KiB that is full.
"""

import signal
import subprocess
import time

from kit import Echo, Forked, Refuse, connect, limit, only_l4lb, scaled, wait_for_standstill
from kit import wait_until
from kit.ends import echoes, refused

import pytest

FLOOD, STEADY = scaled(1, 5), scaled(2, 10)
MOUNT = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=64k none "$0" && exec "$@"']


def flood(address):
    """500 connections a second; how many were refused within 1 s each."""
    count, start = 500 * FLOOD, time.monotonic()
    for number in range(count):
        time.sleep(max(0, start + number / 500 - time.monotonic()))
        assert refused(address, limit(1))
    return count


def steady_echoes(address):
    """200 connections a second with one echo each; the seconds from connect to echo."""
    took, start = [], time.monotonic()
    for number in range(200 * STEADY):
        time.sleep(max(0, start + number / 200 - time.monotonic()))
        begin = time.monotonic()
        with connect(address) as sock:
            assert echoes(sock)
        took.append(time.monotonic() - begin)
    return took


def apart(stage, function, target):
    """function(address) in a process of its own."""
    client = stage.keep(child := Forked(function, target.address), child.kill)
    return client.result(limit(STEADY + 10))


def total(stats, counter):
    return sum(worker[counter] for worker in stats["workers"])


def check_echoes(took):
    assert sorted(took)[int(0.99 * len(took))] <= limit(0.02)


@only_l4lb
def test_N07_a_flood(stage, way):
    target = stage.target(way, [stage.backend(Refuse())])
    lines = len(target.stderr)
    begin = time.monotonic()
    count = apart(stage, flood, target)
    took = time.monotonic() - begin
    said = [line for line in target.stderr[lines:] if not line.startswith('{"')]
    assert len(said) <= 100 * (took + 1), f"{len(said)} lines in {took:.1f} s"
    target.expect_reasons(connect_failed=count)
    stats = target.stats()
    assert stats["log_suppressed"] + total(stats, "log_suppressed") + len(said) >= count
    target.quiet()


@pytest.mark.parametrize("held", [["stdout"], ["stdout", "stderr"]], ids=["access", "both"])
@only_l4lb
def test_N07_b_nobody_reads(stage, way, held):
    target = stage.target(way, [stage.backend(Echo(forked=True))], access_log="-")
    lines = len(target.stdout)
    for name in held:
        target.hold_output(name)
    if "stderr" in held:
        for _ in range(20):  # Each asks for a line of some KiB.
            target.signal(signal.SIGUSR1)
            time.sleep(0.02)
    took = apart(stage, steady_echoes, target)
    for name in held:
        target.read_output(name)
    wait_for_standstill(lambda: len(target.stderr), limit(2))
    check_echoes(took)

    def accounted():
        return len(target.stdout) - lines + total(target.stats(), "access_log_dropped")

    wait_until(lambda: accounted() >= len(took), limit(2), "all lines or their loss")
    assert accounted() == len(took)
    target.expect_reasons(client_fin=len(took))
    target.quiet()


def may_mount():
    run = subprocess.run([*MOUNT, "/mnt", "true"], capture_output=True, check=False)
    return run.returncode == 0


@only_l4lb
def test_N07_c_full_file_system(stage, way, tmp_path):
    if not may_mount():
        pytest.skip("no mounts permitted, not even in a namespace")
    folder = tmp_path / "full"
    folder.mkdir()
    target = stage.target(way, [stage.backend(Echo(forked=True))], wrapper=[*MOUNT, str(folder)],
                          access_log=str(folder / "access.log"))
    took = apart(stage, steady_echoes, target)
    check_echoes(took)
    path = f"/proc/{target.pid}/root{folder}/access.log"

    def accounted():
        with open(path, encoding="utf-8") as file:
            written = file.read().count("\n")
        stats = target.stats()
        return written + stats["access_log_lost"] + total(stats, "access_log_dropped")

    wait_until(lambda: accounted() >= len(took), limit(2), "all lines or their loss")
    assert accounted() == len(took) and target.stats()["access_log_lost"] > 0
    assert any("access log" in line or "access.log" in line for line in target.stderr)
    target.expect_reasons(client_fin=len(took))
    target.quiet()
