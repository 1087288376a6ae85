# SPDX-License-Identifier: Apache-2.0
"""L01: no connection is lost during a reload.

About 2,000 new connections a second (as many as there is CPU for: 16 at a time), each with one
request and one answer, and 200 long ones; 20 reloads (in CI 20 within 5 s), of which each changes
something: a weight, a time-out, a backend in, the same out again; every fifth a listener.
Expected: none refused, reset or wrong, no connect over 900 ms, and the long ones untouched: all
still echo, none was closed, each at the backend that it had.
"""

import copy
import time

from kit import Echo, Entry, limit, only_l4lb, scaled
from kit.api import Api, rewrite
from kit.configuration import members, service
from kit.ends import echoes
from kit.load import Load, Served

RELOADS, EACH_S = 20, scaled(0.25, 1)
LONG = 200
SLOWEST_US = 900_000


def variant(config, number, backends):
    """The configuration of reload `number`: backends[1] comes and goes, all else changes, too."""
    config = copy.deepcopy(config)
    pool = config["pools"][0]
    pool["backends"] = members(backends if number % 2 else [backends[0], backends[2]])
    pool["backends"][0]["weight"] = 1 + number % 7
    pool["connect_timeout"] = f"{5 + number}s"
    config["listeners"][0]["idle_timeout"] = f"{number + 60}m"
    if number // 5 % 2:
        config["listeners"].append({**config["listeners"][0], "name": "extra",
                                    "bind": ["127.0.0.1:0"]})
    return config


@only_l4lb
def test_L01_reload(stage, way):
    answers = [stage.backend(Served("ask", name=f"s{i}")) for i in range(3)]
    echo = stage.backend(Echo(name="echo", forked=True))
    listeners, pools = zip(service("default", answers), service("long", [echo]))
    target = stage.target(way, [], listeners=list(listeners), pools=list(pools), access_log=False)
    api, entry = Api(target), Entry(target.addresses[1])
    clients = [stage.connect(entry) for _ in range(LONG)]
    assert all(echoes(client) for client in clients)
    load = Load("connect", target, "--ask", "--verify", "--concurrency=16", "--linger_reset",
                "--close=client", "--duration=120s", "--warmup=0s")
    stage.keep(load, load.stop)
    time.sleep(0.5)
    for number in range(1, RELOADS + 1):
        rewrite(target, variant(target.config, number, answers))
        report = api.reload()
        assert report["changed"] and not report["ignored"], report
        assert len(report["changes"]) >= 3, report
        assert number % 5 or any("listener extra" in change for change in report["changes"])
        assert all(echoes(client) for client in clients[number % 10::10])
        time.sleep(EACH_S)
    figures = load.finish(limit(5))
    print(figures)
    assert figures["operations"] > 1000, figures
    assert figures["latency_us"]["max"] < SLOWEST_US, figures
    assert all(echoes(client) for client in clients)
    long = target.listener("long")
    assert (long["accepted"], long["closed"]) == (LONG, 0) and echo.accepted == LONG
    default = target.listener("default")
    reasons = {reason for reason, count in default["closed_by_reason"].items() if count}
    assert reasons <= {"client_reset", "client_fin"}, default
    assert target.pool("default")["connects_failed"] == 0
    stage.close_clients()
    target.quiet()
