# SPDX-License-Identifier: Apache-2.0
"""A backend that stands still for a while: the open loop counts every message that had to wait,
the closed loop only the one that was under way."""

import json
import subprocess
import signal
import time

from kit import LOAD, PATIENCE, load, serve

STALL = 0.4  # seconds, of a run of 1 s
RATE = 500


def latency_with_a_stall(backend, *flags):
    """The latencies of a run of a second, in us; the backend stands still in its middle."""
    process = subprocess.Popen(
        [LOAD, "echo", f"--target={backend.address}", "--duration=1s", "--warmup=0", "--json",
         *flags], stdout=subprocess.PIPE, text=True)
    time.sleep(0.3)
    backend.process.send_signal(signal.SIGSTOP)
    time.sleep(STALL)
    backend.process.send_signal(signal.SIGCONT)
    output = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0
    return json.loads(output)["latency_us"]


def test_a_stall_shows_only_in_the_open_loop():
    with serve() as backend:
        opened = latency_with_a_stall(backend, f"--rate={RATE}")
        closed = latency_with_a_stall(backend)
    stall_us = STALL * 1e6
    assert opened["max"] >= 0.9 * stall_us
    assert closed["max"] >= 0.9 * stall_us  # It saw the stall,
    # but in one message of thousands; in the open loop 2 of 5 wait, evenly for 0 to 400 ms.
    assert closed["p99"] < 0.5 * stall_us
    assert opened["p99"] >= 0.9 * stall_us
    assert opened["p90"] >= 0.5 * stall_us


def test_the_rate_is_kept():
    with serve() as backend:
        result = load("echo", backend.address, f"--rate={RATE}", "--duration=500ms", "--warmup=0",
                      "--connections=3", "--threads=2", "--verify")
    # Each thread begins with a message.
    assert abs(result["latency_us"]["count"] - RATE * 0.5) <= 2


def test_what_was_never_answered_counts_with_the_time_it_waited():
    with serve("--mode=sink") as backend:
        result = load("echo", backend.address, "--rate=100", "--duration=100ms", "--warmup=0",
                      "--grace=200ms", status=1)
    assert result["errors"]["unanswered"] == result["latency_us"]["count"] == 10
    assert result["operations"] == 0
    assert result["latency_us"]["p50"] >= 200_000
