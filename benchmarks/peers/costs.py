# SPDX-License-Identifier: Apache-2.0
"""System calls of a contender by strace, its profile by perf: separate short runs, since both slow
it down.  Used by peers.py.
"""

import contextlib
import pathlib
import re
import shutil
import signal
import subprocess
import time

import contenders
import generator
import measure

MOST_CALLS = 6
MOST_SYMBOLS = 15
# (what one operation is, work of l4lb-load, its flags, seconds)
WORKS = (
    ("message", "echo", ("--connections=64", "--size=64", "--count=6400"), 0),
    ("connection", "connect", ("--concurrency=64", "--count=1000", "--sources=16"), 0),
)
PROFILED = (("messages", "echo", ("--connections=64", "--size=64", "--warmup=0s")),
            ("connections", "connect", ("--concurrency=64", "--sources=16", "--warmup=0s")),
            ("bulk", "bulk", ("--streams=8", "--direction=up", "--warmup=0s")))


@contextlib.contextmanager
def proxied(options, rival, folder):
    backend = generator.Backend(options.load)
    contender = None
    try:
        setup = contenders.Setup((f"{measure.HOST}:{backend.port}",))
        contender = rival.start(setup, folder)
        yield contender
    finally:
        for part in (contender, backend):
            if part:
                part.stop()


def parse_strace(text):
    """call -> count, of what `strace -c` printed."""
    counts = {}
    for line in text.splitlines():
        row = re.match(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", line)
        if row and row[2] != "total":
            counts[row[2]] = counts.get(row[2], 0) + int(row[1])
    return counts


@contextlib.contextmanager
def attached(command, process_ids):
    """A tool that watches processes until the `with` ends; it is ended by SIGINT."""
    process = subprocess.Popen(command + [part for pid in process_ids for part in ("-p", str(pid))],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(0.5)  # Until it is attached.
        if process.poll() is not None:
            raise RuntimeError(process.stderr.read().strip())
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def system_calls(options, rivals, folder):
    """[{contender, operation, per_operation, calls: {name: per operation}}], and what failed."""
    if not shutil.which("strace"):
        return [], "strace is not installed"
    found, troubles = [], []
    for rival in rivals:
        if rival.name == "none":
            continue
        for operation, work, flags, seconds in WORKS:
            output = pathlib.Path(folder) / "strace.txt"
            try:
                with proxied(options, rival, folder) as contender:
                    with attached(["strace", "-c", "-f", "-o", str(output)], contender.pids()):
                        result = generator.Running(options.load, work, contender.port, seconds,
                                                   flags).result()
                counts = parse_strace(output.read_text(encoding="utf-8"))
            except (RuntimeError, OSError) as error:
                troubles.append(f"{rival.name}, {operation}: {error}")
                continue
            done = result.answer["operations"]
            calls = {name: count / done for name, count in
                     sorted(counts.items(), key=lambda item: -item[1])[:MOST_CALLS]}
            found.append({"contender": rival.name, "operation": operation,
                          "per_operation": sum(counts.values()) / done, "calls": calls})
    return found, "; ".join(troubles)


def parse_perf(text):
    """[(percent, symbol)] of `perf report --stdio -s symbol`."""
    # Some versions add columns for what was not recorded.
    rows = re.findall(r"^\s*([\d.]+)%\s+(\[[.k]\] \S.*?)(?: {2,}.*)?$", text, re.MULTILINE)
    return [(float(percent), symbol) for percent, symbol in rows][:MOST_SYMBOLS]


def profile(options, rivals, folder):
    """[{contender, work, symbols}], and what failed."""
    if not shutil.which("perf"):
        return [], "perf is not installed (package linux-perf)"
    found, troubles = [], []
    data = str(pathlib.Path(folder) / "perf.data")
    for rival in rivals:
        if rival.name == "none":
            continue
        for name, work, flags in PROFILED:
            try:
                with proxied(options, rival, folder) as contender:
                    pids = ",".join(map(str, contender.pids()))
                    load = generator.Running(options.load, work, contender.port, 2.0, flags,
                                             verify=False)
                    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-o", data, "-p",
                                    pids, "--", "sleep", "1.5"], check=True, capture_output=True,
                                   timeout=30)
                    load.result()
                text = subprocess.run(["perf", "report", "-i", data, "--stdio", "--no-children",
                                       "-s", "symbol"], check=True, capture_output=True, text=True,
                                      timeout=60).stdout
            except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                troubles.append(f"{rival.name}, {name}: {error}")
                continue
            found.append({"contender": rival.name, "work": name, "symbols": parse_perf(text)})
    return found, "; ".join(troubles)


def calls_text(calls):
    """As a table on stdout, one line for each contender and operation."""
    lines = []
    for entry in calls:
        parts = ", ".join(f"{name} {count:.2f}" for name, count in entry["calls"].items())
        lines.append(f"  {entry['contender']:<14} {entry['per_operation']:6.2f} per "
                     f"{entry['operation']:<10} {parts}")
    return "\n".join(lines)


def profile_text(profiles):
    lines = []
    for entry in profiles:
        lines.append(f"\n{entry['contender']}, {entry['work']}:")
        lines += [f"  {percent:5.1f} %  {symbol}" for percent, symbol in entry["symbols"]]
    return "\n".join(lines)
