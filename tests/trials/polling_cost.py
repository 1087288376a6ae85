# SPDX-License-Identifier: Apache-2.0
"""What it costs to look at the daemon: reports, and judges only that everybody was answered.

5,000 idle sessions, and `wrk -c 64` through the daemon to nginx.  Rounds by turns: without, and
with /metrics and /v1/sessions asked for 10 times a second each, by a process of its own.  Printed:
the medians of requests a second and of the daemon's CPU per request, of both kinds of round, and by
how much they differ.  On as many cores as are busy anyway the poller's own work counts, too.

    L4LB_ENGINES=io_uring python3 -m pytest -s polling_cost.py
"""

import re
import statistics
import time

from kit import Entry, Forked, limit, only_l4lb, scaled, wait_until
from kit.api import Api
from kit.configuration import service
from kit.load import Load, Served
from kit.nginx import nginx
from kit.programs import run

SESSIONS, ROUNDS, SECONDS, A_SECOND = 5000, scaled(5, 9), scaled(3, 10), 10


def poll(target, seconds):
    """Asks for both, 10 times a second; returns how long each answer took."""
    api, took, end = Api(target), [], time.monotonic() + seconds
    while time.monotonic() < end:
        next_at = time.monotonic() + 1 / A_SECOND
        for path in ("/metrics", "/v1/sessions"):
            answer = api.ask("GET", path)
            assert answer.status == 200, answer
            took.append(answer.seconds)
        time.sleep(max(0.0, next_at - time.monotonic()))
    return took


def round_of_wrk(target, entry):
    """Requests a second, and the daemon's CPU time for each in microseconds."""
    host, port = entry.address
    before = target.cpu_seconds()
    output = run(["wrk", "-t1", "-c64", f"-d{SECONDS}s", f"http://{host}:{port}/x"], within=60)
    assert "Socket errors" not in output and "Non-2xx" not in output, output
    cpu = target.cpu_seconds() - before
    requests = int(re.search(r"(\d+) requests in", output)[1])
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), cpu / requests * 1e6


def report(rounds, took):
    for index, what in enumerate(("requests a second", "us of CPU for each request")):
        without, polled = (statistics.median(round[index] for round in rounds[kind])
                           for kind in (False, True))
        print(f"{what}: {without:.4g} without, {polled:.4g} polled: "
              f"{(polled / without - 1) * 100:+.1f} %")
    print(f"{len(took)} answers, the median in {statistics.median(took) * 1000:.1f} ms")


@only_l4lb
def test_polling_cost(stage, way, tmp_path):
    (tmp_path / "x").write_bytes(b"x" * 100)
    listeners, pools = zip(service("default", [stage.backend(Served("echo"))]),
                           service("web", [nginx(stage, tmp_path)]))
    target = stage.target(way, [], listeners=list(listeners), pools=list(pools), access_log=False)
    load = Load("idle", target, f"--connections={SESSIONS}", "--duration=1h")
    stage.keep(load, load.stop)
    wait_until(lambda: target.listener()["active"] == SESSIONS, limit(10), "all sessions")
    entry = Entry(target.addresses[1])
    round_of_wrk(target, entry)
    rounds, took = {False: [], True: []}, []
    for _ in range(ROUNDS):
        rounds[False].append(round_of_wrk(target, entry))
        poller = Forked(poll, target, SECONDS)
        stage.keep(poller, poller.kill)
        rounds[True].append(round_of_wrk(target, entry))
        took += poller.result(limit(5))
    print(f"\n{way}: {SESSIONS} sessions, {ROUNDS} rounds of {SECONDS} s each")
    report(rounds, took)
