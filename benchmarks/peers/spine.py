#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""l4lb beside HAProxy and nginx in one interleaved run: what a byte, a request, a connection and an
idle session cost.

Each contender forwards with one thread.  A round runs each case against each contender in turn, so
that a slow minute of the machine hits all of them; the medians over the rounds are printed, and the
ratio to the better peer with its spread.  Targets are information: the exit status is 0 either way.

    benchmarks/peers/spine.py --l4lb=build/release/bin/l4lb
    benchmarks/peers/spine.py --quick --case=wrk-64,idle --json=spine.json

Run by hand and by `./dev bench`.  The table explained: README.md beside this file.
"""

import argparse
import functools
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import contenders
import load
import measure
import report

IDLE_SESSIONS = 2000
WARM_UP_SECONDS = 1
MOST_IDLE_ROUNDS = 3  # Memory hardly varies from run to run.
ROOT = pathlib.Path(__file__).resolve().parents[2]

MEASURES = {
    "throughput": report.Measure("Gb/s", 1e9, True, report.Target(1.0, at_least=True)),
    "CPU per GB": report.Measure("ms", 1e6, target=report.Target(0.65)),
    "requests": report.Measure("k/s", 1e3, True),
    "CPU per request": report.Measure("us", 1e3, target=report.Target(0.95)),
    "connections": report.Measure("k/s", 1e3, True),
    "CPU per connection": report.Measure("us", 1e3, target=report.Target(1.0)),
    "memory per session": report.Measure("KiB", 1024, target=report.Target(1024, absolute=True)),
}


def with_cpu(contender, work):
    """Runs `work`; returns (amount, seconds, CPU nanoseconds of the contender)."""
    before = measure.cpu_ns(contender.pids())
    amount, seconds = work()
    return amount, seconds, measure.cpu_ns(contender.pids()) - before


def bulk(contender, seconds, streams):
    size, took, cpu = with_cpu(contender, lambda: load.iperf(contender.port, seconds, streams))
    return {"throughput": size * 8 / took, "CPU per GB": cpu / (size / 1e9)}


def requests(contender, seconds, connections):
    count, took, cpu = with_cpu(contender, lambda: load.wrk(contender.port, seconds, connections))
    return {"requests": count / took, "CPU per request": cpu / count}


def new_connections(contender, seconds):
    count, took, cpu = with_cpu(contender, lambda: load.wrk(contender.port, seconds, 64, True))
    return {"connections": count / took, "CPU per connection": cpu / count}


def idle(contender, _seconds):
    """Growth of memory over sessions that did one exchange and fell silent."""
    for session in load.open_sessions(contender.port, 1):
        session.close()
    time.sleep(0.2)
    before = measure.pss_bytes(contender.pids())
    sessions = load.open_sessions(contender.port, IDLE_SESSIONS)
    # Balancers give memory back a while after the last byte.
    time.sleep(2)
    growth = measure.pss_bytes(contender.pids()) - before
    for session in sessions:
        session.close()
    return {"memory per session": growth / IDLE_SESSIONS}


# name -> (what is behind the contender, what is done to it)
CASES = {
    "iperf-1": ("iperf", functools.partial(bulk, streams=1)),
    "iperf-8": ("iperf", functools.partial(bulk, streams=8)),
    "wrk-64": ("http", functools.partial(requests, connections=64)),
    "wrk-512": ("http", functools.partial(requests, connections=512)),
    "connections": ("http", new_connections),
    "idle": ("http", idle),
}


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--l4lb", default=str(ROOT / "build/release/bin/l4lb"), metavar="PATH")
    parser.add_argument("--haproxy", default="haproxy", metavar="PATH")
    parser.add_argument("--nginx", default="nginx", metavar="PATH",
                        help="contender and HTTP backend; needs the stream module")
    parser.add_argument("--haproxy_splice", choices=["auto", "always"], default="auto",
                        help="HAProxy's option splice-auto, or splice-request and -response")
    parser.add_argument("--haproxy_pipesize", type=int, default=0, metavar="BYTES",
                        help="HAProxy's tune.pipesize (default: the kernel's, 64 KiB)")
    parser.add_argument("--rounds", type=int, metavar="N")
    parser.add_argument("--seconds", type=int, metavar="N", help="of load per case and contender")
    parser.add_argument("--case", action="append", default=[], metavar="NAME[,NAME]",
                        help="one or more of: " + " ".join(CASES))
    parser.add_argument("--quick", action="store_true",
                        help="2 rounds of 1 s, no warm-up: under 90 s in all")
    parser.add_argument("--json", metavar="PATH", help="write the figures there; - is stdout")
    flags = parser.parse_args(argv)
    flags.rounds = flags.rounds or (2 if flags.quick else 5)
    flags.seconds = flags.seconds or (1 if flags.quick else 2)
    flags.case = [name for names in flags.case for name in names.split(",")] or list(CASES)
    unknown = [name for name in flags.case if name not in CASES]
    if unknown or flags.rounds < 1 or flags.seconds < 1:
        parser.error(f"no such case: {' '.join(unknown)}" if unknown
                     else "--rounds and --seconds start at 1")
    return flags


def programs(flags):
    """The contenders that are installed; says which are not."""
    found = []
    haproxy = contenders.HAProxy(flags.haproxy, flags.haproxy_splice, flags.haproxy_pipesize)
    for contender in (contenders.L4lb(flags.l4lb), haproxy, contenders.Nginx(flags.nginx)):
        path = contenders.found(contender.binary)
        if path:
            contender.binary = path
            found.append(contender)
        else:
            print(f"{contender.name} is left out: no {contender.binary}", file=sys.stderr)
    return found


class Bench:
    """Runs cases and keeps the figures."""

    def __init__(self, flags, rivals, folder):
        self._flags = flags
        self._rivals = rivals
        self._folder = folder
        self._values = {}
        self.failures = 0

    def run_case(self, case, round_number):
        # Nobody is always first.
        shift = round_number % len(self._rivals)
        for rival in self._rivals[shift:] + self._rivals[:shift]:
            try:
                measured = self._measure(case, rival)
            except (load.LoadError, RuntimeError, OSError, subprocess.SubprocessError) as error:
                self.failures += 1
                print(f"{case} through {rival.name} failed: {error}", file=sys.stderr)
                continue
            for name, value in measured.items():
                self._values.setdefault((case, rival.name, name), {})[round_number] = value

    def rows(self):
        """In the order of CASES.  What failed in one round is left out of that one only."""
        keys = dict.fromkeys((case, name) for wanted in CASES
                             for case, _rival, name in self._values if case == wanted)
        return [report.Row(case, "", {}, 1, name, MEASURES[name],
                           {rival.name: self._values[case, rival.name, name]
                            for rival in self._rivals
                            if (case, rival.name, name) in self._values}, {})
                for case, name in keys]

    def _measure(self, case, rival):
        """One case against a fresh contender with a backend of its own, warmed up."""
        kind, work = CASES[case]
        backend = contender = None
        try:
            backend = (load.IperfBackend() if kind == "iperf"
                       else load.HttpBackend(contenders.found(self._flags.nginx), self._folder))
            contender = rival.start(
                contenders.Setup((f"{measure.HOST}:{backend.port}",)), self._folder)
            if case != "idle" and not self._flags.quick:
                work(contender, WARM_UP_SECONDS)
            return work(contender, self._flags.seconds)
        finally:
            for part in (contender, backend):
                if part:
                    part.stop()


def run_rounds(flags, bench):
    for number in range(flags.rounds):
        for case in flags.case:
            if case == "idle" and number >= MOST_IDLE_ROUNDS:
                continue
            print(f"round {number + 1} of {flags.rounds}: {case}", file=sys.stderr)
            bench.run_case(case, number)


def show(flags, rivals, bench, context):
    """The table on stdout, and JSON where it is wanted: - is stdout, in place of the table."""
    rows = bench.rows()
    if flags.json:
        text = json.dumps({**context, "rounds": flags.rounds, "seconds": flags.seconds,
                           "failures": bench.failures,
                           "results": report.summary(rows)}, indent=1)
        if flags.json == "-":
            print(text)
            return
        pathlib.Path(flags.json).write_text(text + "\n", encoding="utf-8")
    print(report.table([row._replace(point=row.case) for row in rows],
                       [rival.name for rival in rivals]))
    print(f"\nmedians of {flags.rounds} rounds of {flags.seconds} s, {context['took_seconds']} s "
          "in all; {cores} cores, {cpu}, Linux {kernel}, load {load_average:.1f} at the start"
          .format(**context["machine"]))
    if bench.failures:
        print(f"{bench.failures} measurements failed and are not in the table")


def main(argv):
    flags = parse(argv)
    measure.raise_file_limit()
    # So that what was started is ended on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    started, context = time.monotonic(), {"machine": measure.machine()}
    rivals = programs(flags)
    missing = [tool for tool in ("iperf3", "wrk") if not shutil.which(tool)]
    if not rivals or missing:
        print("not installed: " + " ".join(missing or ["any contender"]), file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="l4lb-peers-") as folder:
        bench = Bench(flags, rivals, folder)
        run_rounds(flags, bench)
    context["took_seconds"] = round(time.monotonic() - started)
    show(flags, rivals, bench, context)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
