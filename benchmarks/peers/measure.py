# SPDX-License-Identifier: Apache-2.0
"""What a group of processes costs, read from /proc; free ports; ending processes by their id.

Used by everything in this folder.
"""

import os
import signal
import socket
import subprocess
import tempfile
import time

HOST = "127.0.0.1"


def free_port():
    """A TCP port that nobody has now; the kernel does not hand it out again soon."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def serve(command, port, seconds=10.0):
    """Starts a server; returns once it accepts on `port`, or raises with its last words."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        deadline = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return process
            time.sleep(0.02)
        end(process)
        errors.seek(0)
        raise RuntimeError(f"{' '.join(command)}: {errors.read().decode(errors='replace')[-2000:]}")


def family_of(pid):
    """`pid` and all its descendants."""
    pids = [pid]
    for parent in pids:
        try:
            tasks = os.listdir(f"/proc/{parent}/task")
            for task in tasks:
                with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as children:
                    pids += [int(child) for child in children.read().split()]
        except FileNotFoundError:
            continue
    return pids


def cpu_ns(pids):
    """CPU time of all threads of `pids`, user and kernel.

    schedstat counts nanoseconds; the fields of /proc/PID/stat only tick every 10 ms.
    """
    total = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as schedstat:
                total += int(schedstat.read().split()[0])
    return total


def pss_bytes(pids):
    """Memory of `pids`, pages shared between them counted once (proportional set size)."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
            for line in rollup:
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
    return total


def end(process, seconds=5.0):
    """Ends a child of ours by SIGTERM; by SIGKILL, it and its descendants, when that fails."""
    if process is None or process.poll() is not None:
        return
    family = family_of(process.pid)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()
