# SPDX-License-Identifier: Apache-2.0
"""What is measured: the cases of peers.py, and what l4lb aims at in each.

A case is a function of a Run (bench.py), that is of one contender in one round.  It measures one or
several points, each with a name and the parameters that the charts are drawn over.
"""

import time

import generator
import measure
import report

CONNECTIONS = (1, 64, 512, 4000)
STREAMS = (1, 8, 64)
BACKENDS_ALIVE, BACKENDS_DYING = 15, 5
SOURCES = "--sources=16"  # Of the client: else closing first would use up its ports.

RATE = report.Measure("k/s", 1e3, more_is_better=True)
MICROSECONDS = report.Measure("us", 1e3)
SPEED = report.Measure("Gb/s", 1e9, more_is_better=True)
MEMORY = report.Measure("KiB", 1024)
MEASURES = {
    "rate": RATE, "p50": MICROSECONDS, "p99": MICROSECONDS, "p99.9": MICROSECONDS,
    "CPU per message": MICROSECONDS, "CPU per connection": MICROSECONDS,
    "throughput": SPEED, "CPU per GB": report.Measure("ms", 1e6),
    "user memory": MEMORY, "kernel memory": MEMORY,
    "CPU at rest": report.Measure("ms/s", 1e6),
    "p50 alone": MICROSECONDS, "p50 beside bulk": MICROSECONDS,
    "p99 alone": MICROSECONDS, "p99 beside bulk": MICROSECONDS,
    "p99 beside / alone": report.Measure("times", 1),
    "failed connections": report.Measure("", 1), "longest": report.Measure("ms", 1e6),
}
AT_MOST = report.Target
TARGETS = {
    ("bulk", "up, 1 stream", "CPU per GB"): AT_MOST(0.5),
    ("bulk", "up, 8 streams", "CPU per GB"): AT_MOST(0.5),
    ("bulk", "up, 8 streams", "throughput"): report.Target(1.1, at_least=True),
    ("echo", "64 B, 64 connections", "CPU per message"): AT_MOST(0.92),
    ("echo", "64 B, 512 connections", "CPU per message"): AT_MOST(0.9),
    ("connect", "backend closes first", "CPU per connection"): AT_MOST(0.92),
    ("connect", "client closes first", "CPU per connection"): AT_MOST(0.92),
    ("open", "64 B, 64 connections", "p99"): AT_MOST(1.05),
    ("open", "64 B, 512 connections", "p99"): AT_MOST(1.05),
    ("idle", "1,000 sessions", "user memory"): AT_MOST(512, absolute=True),
    ("idle", "9,000 sessions", "user memory"): AT_MOST(512, absolute=True),
}
# Of one engine, in place of the above; of messages it has to do better.
OWN_TARGETS = {
    "l4lb-io_uring": {
        ("echo", "64 B, 512 connections", "CPU per message"): AT_MOST(0.85),
    },
}
# Beside our epoll engine.  "As good as" means within 5 %, the least that shows in one run.
AS_GOOD = 1.05
TARGETS_TO_EPOLL = {
    "l4lb-io_uring": {
        ("echo", "64 B, 64 connections", "CPU per message"): AT_MOST(1.0),
        ("echo", "64 B, 512 connections", "CPU per message"): AT_MOST(1.0),
        ("bulk", "up, 1 stream", "CPU per GB"): AT_MOST(AS_GOOD),
        ("bulk", "up, 8 streams", "CPU per GB"): AT_MOST(AS_GOOD),
        ("bulk", "up, 8 streams", "throughput"): report.Target(1 / AS_GOOD, at_least=True),
    },
}


def with_targets(measure, key):
    """The measure with what l4lb aims at in `key`: (case, point, name)."""
    own, beside = ({name: targets[key] for name, targets in table.items() if key in targets}
                   for table in (OWN_TARGETS, TARGETS_TO_EPOLL))
    return measure._replace(target=TARGETS.get(key), own=own, beside=beside)


def plural(count, noun):
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def size_name(size):
    return f"{size} B" if size < 1024 else f"{size // 1024} KiB"


def per_operation(result, of, rate=None):
    """CPU per operation, or nothing without a contender."""
    rate = rate or result.answer["rate"]
    if rate == 0:
        raise generator.LoadError("nothing was done in the measured time")
    return {} if result.cpu is None else {of: result.cpu / rate}


def latencies(result):
    return {"p50": result.latency("p50"), "p99": result.latency("p99"),
            "p99.9": result.latency("p99_9")}


def echo(run):
    """Round trips, closed loop: each connection sends when it has its answer."""
    with run.through() as port:
        for size in (64, 1024, 16384):
            for connections in CONNECTIONS:
                main = size == 64 and connections in (64, 512)
                name = f"{size_name(size)}, {plural(connections, 'connection')}"
                if run.wants(main):
                    with run.point(name, size=size, connections=connections) as put:
                        result = run.load("echo", port, f"--connections={connections}",
                                          f"--size={size}", run.warm_up())
                        put(rate=result.answer["rate"], **latencies(result),
                            **per_operation(result, "CPU per message"))


def open_loop(run):
    """Round trips at half of the best peer's rate; latency counts from the scheduled time."""
    for connections in (64, 512):
        rate = run.shared(f"half of the best rate, {connections}",
                          lambda count=connections: half_of_best_rate(run, count))
        with run.through() as port, run.point(f"64 B, {plural(connections, 'connection')}",
                                              connections=connections, rate=round(rate)) as put:
            # p99 needs more than a moment.
            result = run.load("echo", port, f"--connections={connections}", "--size=64",
                              f"--rate={rate:.0f}", run.warm_up(), seconds=2 * run.seconds)
            put(rate=result.answer["rate"], **latencies(result),
                **per_operation(result, "CPU per message"))


def half_of_best_rate(run, connections):
    """Of the peers, or of what there is when there are none."""
    rates = []
    for rival in run.peers():
        with run.through(rival=rival) as port:
            rates.append(run.load("echo", port, f"--connections={connections}", "--size=64",
                                  run.warm_up()).answer["rate"])
    return max(rates) / 2


def connect(run):
    """Connect, 64 bytes, their answer, close; by either side first."""
    for closer in ("backend", "client"):
        with run.through() as port, run.point(f"{closer} closes first", closer=closer) as put:
            result = run.load("connect", port, "--concurrency=64", "--size=64",
                              f"--close={closer}", SOURCES, run.warm_up())
            put(rate=result.answer["rate"], p50=result.latency("p50"),
                p99=result.latency("p99"), **per_operation(result, "CPU per connection"))


def bulk(run):
    """As many bytes as there is room for, one way and both."""
    with run.through() as port:
        with run.point(run.WHOLE_CASE):
            # Every byte, but not while speed is measured.
            run.load("bulk", port, "--streams=8", "--bytes=4MiB", "--direction=up", seconds=0)
            run.load("bulk", port, "--streams=8", "--bytes=4MiB", "--direction=down", seconds=0)
        for direction in ("up", "both"):
            for streams in STREAMS:
                if not run.wants(direction == "up" and streams in (1, 8)):
                    continue
                with run.point(f"{direction}, {plural(streams, 'stream')}", direction=direction,
                               streams=streams) as put:
                    bulk_point(run, port, put, direction, streams)


def bulk_point(run, port, put, direction, streams):
    result = run.load("bulk", port, f"--streams={streams}", f"--direction={direction}",
                      run.warm_up(), verify=False)
    bits = (result.answer["gbps_up"] + result.answer["gbps_down"]) * 1e9
    if bits == 0:
        raise generator.LoadError("no byte went through")
    put(throughput=bits, **per_operation(result, "CPU per GB", rate=bits / 8e9))


def idle(run):
    """Sessions that have exchanged one message and are silent."""
    with run.through() as port:
        run.load("echo", port, "--connections=8", "--count=800", seconds=0)
        time.sleep(run.seconds)
        user, kernel = run.memory()
        for count in (1000, 9000):
            if run.wants(main=count == 1000 or not run.quick):
                with run.point(plural(count, "session"), sessions=count) as put:
                    with run.idle(port, count):
                        # Balancers give memory back a while after the last byte.
                        time.sleep(1.5)
                        user_now, kernel_now = run.memory()
                        put(**{"kernel memory": (kernel_now - kernel) / count})
                        if run.pids():
                            put(**{"user memory": (user_now - user) / count,
                                   "CPU at rest": cpu_over(run.pids(), run.seconds)})
                time.sleep(0.3)


def cpu_over(pids, seconds):
    """CPU nanoseconds a second over some time from now."""
    before = measure.cpu_ns(pids)
    time.sleep(seconds)
    return (measure.cpu_ns(pids) - before) / seconds


def mixed(run):
    """Small messages at a fixed rate, alone and then beside four bulk streams."""
    with run.through() as port, run.point("2,000/s of 64 B beside 4 streams") as put:
        small = ("--connections=16", "--size=64", "--rate=2000", run.warm_up())
        alone = run.load("echo", port, *small)
        streams = run.start("bulk", port, "--streams=4", "--direction=up", "--warmup=0s",
                            seconds=run.seconds + run.warm_up_seconds + 0.2, verify=False)
        beside = run.load("echo", port, *small)
        bits = streams.result().answer["gbps_up"] * 1e9
        put(**{"p50 alone": alone.latency("p50"), "p50 beside bulk": beside.latency("p50"),
               "p99 alone": alone.latency("p99"), "p99 beside bulk": beside.latency("p99"),
               "p99 beside / alone": beside.latency("p99") / alone.latency("p99"),
               "throughput": bits})


def growth(run):
    """What a message and a connection cost with many idle sessions, and with many backends."""
    if not run.is_proxy():
        return
    for sessions in (10, 1000) if run.quick else (10, 100, 1000, 9000):
        with run.through() as port, run.point(f"{plural(sessions, 'idle session')}",
                                              sessions=sessions) as put, \
                run.idle(port, sessions):
            messages = run.load("echo", port, "--connections=64", run.warm_up())
            sockets = run.load("connect", port, "--concurrency=64", SOURCES, run.warm_up())
            put(**per_operation(messages, "CPU per message"),
                **per_operation(sockets, "CPU per connection"))
    for policy in run.policies():
        for count in (10, 1000) if run.quick else (10, 1000, 10000):
            if run.supports(policy):
                with run.point(f"{policy}, {plural(count, 'backend')}", policy=policy,
                               backends=count) as put, run.through(count, policy) as port:
                    result = run.load("connect", port, "--concurrency=64", SOURCES, run.warm_up())
                    put(**per_operation(result, "CPU per connection"))


def deaths(run):
    """20 backends of which 5 die under load; who tries another one in time?"""
    if not run.is_proxy():
        return
    for policy in ("round_robin", "least_connections"):
        alive, dying = run.backend("0.0.0.0"), run.backend("0.0.0.0")
        try:
            addresses = [f"127.0.1.{i}:{alive.port}" for i in range(1, 1 + BACKENDS_ALIVE)]
            addresses += [f"127.0.2.{i}:{dying.port}" for i in range(1, 1 + BACKENDS_DYING)]
            with run.through(policy=policy, watched=addresses) as port, \
                    run.point(f"5 of 20 die, {policy}", policy=policy) as put:
                load = run.start("connect", port, "--concurrency=32", SOURCES, run.warm_up(),
                                 seconds=2 * run.seconds + 1)
                time.sleep(run.warm_up_seconds + run.seconds)
                dying.kill()
                result = load.result(errors_are_figures=True)
                if result.answer["errors"]["wrong_bytes"]:
                    raise generator.LoadError(result.answer["first_error"])
                put(**{"failed connections": sum(result.errors().values()),
                       "rate": result.answer["rate"], "p99": result.latency("p99"),
                       "longest": result.latency("max")})
        finally:
            alive.stop()
            dying.stop()


CASES = {"echo": echo, "open": open_loop, "connect": connect, "bulk": bulk, "idle": idle,
         "mixed": mixed, "growth": growth, "deaths": deaths}
# With more than one worker: what changes with their number.
CASES_OF_MORE_WORKERS = ("echo", "connect", "bulk")
