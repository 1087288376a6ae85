#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""l4lb beside HAProxy, nginx and no proxy at all, on the same work in one interleaved run.

Medians, ratios to the better peer with their spread, CPU of the contender only, memory, errors,
system calls.  Targets are information: the exit status is 0 whether they are met or not.

    ./dev bench peers                                  everything, under 15 minutes
    ./dev bench peers --quick                          under 3 minutes: a smoke test
    ./dev bench peers --case=echo,bulk --rounds=9 --html=peers.html

How it is measured: README.md beside this file.
"""

import argparse
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import bench
import cases
import contenders
import costs
import docs_page
import html_page
import measure
import report

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/release/bin"
CALLS = "calls"  # A case as well: what strace counts.
CASES = [*cases.CASES, CALLS]


def names(text):
    return [name for name in text.split(",") if name]


def numbers(text):
    return [int(number) for number in text.split(",")]


def parse(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--case", type=names, default=CASES, metavar="NAME[,NAME]",
        help="some of: " + " ".join(CASES))
    add("--quick", action="store_true", help="2 short rounds of what has a target, 1 worker")
    add("--rounds", type=int, metavar="N", help="of points with targets (default 5); others fewer")
    add("--seconds", type=float, metavar="S", help="measured at each point (default 0.5)")
    add("--minutes", type=float, metavar="M",
        help="start no further round after that (default 11, quick 2)")
    add("--workers", type=numbers, metavar="N[,N]",
        help="worker threads of each contender in turn (default 1,2)")
    add("--l4lb", default=str(BIN / "l4lb"), metavar="PATH")
    add("--haproxy", default="haproxy", metavar="PATH")
    add("--nginx", default="nginx", metavar="PATH", help="with the stream module")
    add("--load", default=str(BIN / "l4lb-load"), metavar="PATH", help="the load generator")
    add("--contender", type=names, metavar="NAME[,NAME]", help="only these")
    add("--profile", action="store_true", help="also what the CPU is spent on, by symbol (perf)")
    add("--json", metavar="FILE", help="all figures; - is stdout, in place of the table")
    add("--html", metavar="FILE", help="one self-contained page with charts; needs npm")
    add("--write_docs", action="store_true", help="write docs/performance.md")
    add("--from_json", metavar="FILE", help="measure nothing: report what --json wrote there")
    options = parser.parse_args(argv)
    options.rounds = options.rounds or (2 if options.quick else 5)
    options.seconds = options.seconds or (0.4 if options.quick else 0.5)
    options.minutes = options.minutes or (2 if options.quick else 11)
    options.workers = options.workers or ([1] if options.quick else [1, 2])
    unknown = [name for name in options.case if name not in CASES]
    if unknown:
        parser.error(f"--case: no case {' '.join(unknown)}; there are: {' '.join(CASES)}")
    if options.rounds < 1 or options.seconds < 0.2 or min(options.workers) < 1:
        parser.error("--rounds and --workers start at 1, --seconds at 0.2")
    options.calls = CALLS in options.case
    options.case = [name for name in cases.CASES if name in options.case]
    return options


def rivals_of(options):
    """The contenders that are installed; says which are not."""
    l4lb = contenders.found(options.l4lb)
    engines = contenders.choices(l4lb, "engine") if l4lb else []
    all_of_them = []
    for rival in [contenders.L4lb(options.l4lb, engine) for engine in engines if engine != "auto"]:
        if refusal := rival.refusal():
            print(f"{rival.name} is left out: {refusal}", file=sys.stderr)
        else:
            all_of_them.append(rival)
    if not engines:
        print(f"l4lb is left out: no {options.l4lb}", file=sys.stderr)
    for rival in (contenders.HAProxy(options.haproxy), contenders.Nginx(options.nginx)):
        rival.binary = contenders.found(rival.binary)
        if rival.binary:
            all_of_them.append(rival)
        else:
            print(f"{rival.name} is left out: it is not installed", file=sys.stderr)
    all_of_them.append(contenders.Direct())
    wanted = options.contender
    return [rival for rival in all_of_them if not wanted or rival.name in wanted]


def measured(options, rivals, command):
    """Everything as one dictionary, which the reports are made from."""
    started = time.monotonic()
    outcome = {"machine": measure.machine(), "time": time.strftime("%Y-%m-%d %H:%M %Z"),
               "command": command, "contenders": [rival.name for rival in rivals],
               "versions": {rival.name: rival.version() for rival in rivals}}
    with tempfile.TemporaryDirectory(prefix="l4lb-peers-") as folder:
        runs = bench.Bench(options, rivals, folder)
        runs.run()
        outcome["results"] = report.summary(runs.rows())
        outcome["failures"], outcome["cut_short"] = runs.failures, runs.cut_short
        outcome["system_calls"], outcome["no_system_calls"] = (
            costs.system_calls(options, rivals, folder) if options.calls else ([], "not counted"))
        if options.profile:
            outcome["profiles"], outcome["no_profiles"] = costs.profile(options, rivals, folder)
    outcome |= {"rounds": options.rounds, "seconds": options.seconds, "quick": options.quick,
                "took_seconds": round(time.monotonic() - started)}
    return outcome


def text_of(outcome):
    """What stdout gets."""
    rows = report.rows_of(outcome["results"])
    parts = []
    for workers, case in dict.fromkeys((row.workers, row.case) for row in rows):
        some = [row for row in rows if (row.workers, row.case) == (workers, case)]
        parts.append(f"{case}, {bench.plural_of_workers(workers)} each\n"
                     + report.table(some, outcome["contenders"]))
    if outcome["system_calls"]:
        calls = costs.calls_text(outcome["system_calls"])
        parts.append("system calls (strace, 64 connections, 64 B)\n"
                     + "\n".join(filter(None, (calls, outcome["no_system_calls"]))))
    if "profiles" in outcome:
        parts.append("profile (perf, cpu-clock)" + costs.profile_text(outcome["profiles"])
                     + outcome["no_profiles"])
    if outcome["cut_short"]:
        parts.append("time ran out: some of the later rounds are missing")
    met, of = report.targets_met(rows)
    machine = outcome["machine"]
    parts.append(f"{met} of {of} targets met; medians of up to {outcome['rounds']} rounds of "
                 f"{outcome['seconds']:g} s, {outcome['took_seconds']} s in all; "
                 f"{machine['cores']} cores, {machine['cpu']}, Linux {machine['kernel']}, "
                 f"load {machine['load_average']:.1f} at the start")
    if outcome["failures"]:
        parts.append("\n".join(["failures:"] + [
            f"  {f['contender']}, {f['case']} {f['point']}, round {f['round']}: {f['reason']}"
            for f in outcome["failures"]]))
    return "\n\n".join(parts)


def show(options, outcome, script):
    if options.json == "-":
        print(json.dumps(outcome, indent=1))
    else:
        print(text_of(outcome))
    if options.json not in (None, "-"):
        pathlib.Path(options.json).write_text(json.dumps(outcome, indent=1) + "\n",
                                              encoding="utf-8")
    if options.html:
        pathlib.Path(options.html).write_text(html_page.page(outcome, script), encoding="utf-8")
    if options.write_docs:
        (ROOT / "docs/performance.md").write_text(docs_page.page(outcome), encoding="utf-8")


def main(argv):
    options = parse(argv)
    measure.raise_file_limit()
    # So that what was started is ended on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # Before anything is measured, since it may fail.
    script = html_page.build(ROOT) if options.html else None
    if options.from_json:
        outcome = json.loads(pathlib.Path(options.from_json).read_text(encoding="utf-8"))
    else:
        rivals = rivals_of(options)
        if not rivals or not shutil.which(options.load):
            print(f"peers: nothing to measure: {options.load} or every contender is missing",
                  file=sys.stderr)
            return 1
        outcome = measured(options, rivals, " ".join(["./dev bench peers"] + argv))
    show(options, outcome, script)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except html_page.BuildError as error:
        sys.exit(f"peers: {error}")
