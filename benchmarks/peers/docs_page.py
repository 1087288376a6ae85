# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md of peers.py: the figures of one run, and what they do and do not say."""

import report

HEAD = """<!-- Written by `./dev bench peers --write_docs`; do not edit. -->
# Performance

{headline}

Measured {time} with `{command}`, {minutes:.0f} minutes.
{machine}.

| contender | version |
| --- | --- |
{versions}

How it is measured, and why so: [benchmarks/peers/README.md](../benchmarks/peers/README.md).

## What to keep in mind

* Generator, contender and backend share {cores} cores, as they would not in production. Rates and
  latencies therefore say what the whole machine does; **CPU is what the contender itself costs**,
  all its processes and threads, and the figure to look at first. The column `none` is generator
  and backend without a proxy between them.
* The ratio is l4lb's value over that of the better peer in the same round: the median, and in
  brackets the least and the most of all rounds. A spread that reaches across 1 is not a difference.
  What l4lb costs on io_uring stands beside what it costs on epoll in the same way.
* Everything runs over loopback: no network card, no loss, no distance.
* Other work on the machine moves every figure; two runs hours apart are not to be compared, which
  is why all contenders are in one run.
* A contender that lost a connection or a byte where it should not says `failed` in place of a
  figure.
* A target is what l4lb aims at: `pass` or `MISS`, judged by the median.
"""

CASES = {
    "echo": (
        "Round trips",
        "Each connection sends a message when it has the answer to the last one (closed loop). "
        "Latency is from sending to the whole answer."),
    "open": (
        "Round trips at a fixed rate",
        "Messages are sent by a schedule, at half of the better peer's highest rate; latency counts "
        "from the moment at which a message was due."),
    "connect": (
        "New connections",
        "Connect, 64 bytes, their answer, close by either side first; 64 at a time."),
    "bulk": (
        "Bulk",
        "As many bytes as there is room for; `both` is up and down at once, added up."),
    "idle": (
        "Idle sessions",
        "After one message each. User memory is the growth of the contender's proportional set size "
        "without mapped files. Kernel memory is the growth of slabs and TCP buffers of the whole "
        "machine, the generator's and the backend's sockets included: `none` shows what those take."),
    "mixed": (
        "Small messages beside bulk",
        "2,000 messages a second over 16 connections, alone and then beside four streams that take "
        "all they can."),
    "growth": (
        "Growth",
        "What a message and a new connection cost with many idle sessions, and with many backends, "
        "by policy; of the peers each one's nearest policy."),
    "deaths": (
        "Dying backends",
        "New connections while 5 of 20 backends die at once. HAProxy checks its servers, nginx "
        "notices failures, as they do in production. Failed are those that were open at a dead "
        "backend or found no other one in time."),
}


def markdown(cells):
    """A table, header first."""
    lines = ["| " + " | ".join(line) + " |" for line in cells]
    lines.insert(1, "|" + " --- |" * len(cells[0]))
    return "\n".join(lines)


def headline(rows):
    met, of = report.targets_met(rows)
    return f"l4lb meets {met} of {of} targets of this run." if of else "This run has no targets."


def targets(rows, names):
    some = [row for row in rows if report.has_target(row)]
    if not some:
        return ""
    lines = report.cells(some, names)
    lines[0][0] = "work"
    for line, row in zip(lines[1:], some):
        line[0] = f"{row.case}: {row.point}"
    return "\n## Targets\n\n" + markdown(lines) + "\n"


def sections(rows, names):
    parts = []
    first = rows[0].workers if rows else 1
    for workers, case in dict.fromkeys((row.workers, row.case) for row in rows):
        title, text = CASES[case]
        more = "" if workers == first else f", {workers} workers each"
        some = [row for row in rows if (row.workers, row.case) == (workers, case)]
        parts.append(f"\n## {title}{more}\n\n{text}\n\n{markdown(report.cells(some, names))}\n")
    return "".join(parts)


def system_calls(outcome):
    if not outcome["system_calls"]:
        return ""
    lines = [["contender", "operation", "system calls", "which"]]
    for entry in outcome["system_calls"]:
        calls = ", ".join(f"{name} {count:.2f}" for name, count in entry["calls"].items())
        lines.append([entry["contender"], entry["operation"], f"{entry['per_operation']:.2f}", calls])
    return ("\n## System calls\n\nCounted by strace in a run of its own: 64 connections, 64 bytes.\n\n"
            + markdown(lines) + "\n" + outcome["no_system_calls"])


def failures(outcome):
    if not outcome["failures"]:
        return ""
    lines = [["contender", "work", "round", "what"]]
    lines += [[failure["contender"], f"{failure['case']} {failure['point']}",
               str(failure["round"]), failure["reason"]] for failure in outcome["failures"]]
    return "\n## Failures\n\n" + markdown(lines) + "\n"


def page(outcome):
    """The whole page, from what peers.py measured."""
    rows = report.rows_of(outcome["results"])
    names, machine = outcome["contenders"], outcome["machine"]
    head = HEAD.format(
        headline=headline(rows), time=outcome["time"], command=outcome["command"],
        minutes=outcome["took_seconds"] / 60, cores=machine["cores"],
        machine=f"{machine['cores']} cores, {machine['cpu']}, Linux {machine['kernel']}, "
                f"load {machine['load_average']:.1f} at the start",
        versions="\n".join(f"| {name} | {version} |" for name, version
                           in outcome["versions"].items()))
    return (head + targets(rows, names) + sections(rows, names) + system_calls(outcome)
            + failures(outcome)).rstrip() + "\n"
