# SPDX-License-Identifier: Apache-2.0
"""N05: the number of series of /metrics depends on the configuration, not on the traffic.

Scrape; 5,000 connections from 100 addresses; scrape; a backend is removed and added 50 times under
new names, with a connection each; scrape.  Expected: the same series every time, and those of the
removed backends gone; no client address in any label; each scrape is valid (promtool checks it,
too), and its figures add up and equal those of the API.
"""

import re
import subprocess

from kit import Entry, Ident, limit, only_l4lb, wait_until
from kit.api import Api
from kit.configuration import service
from kit.ends import visit
from kit.load import Served, run_load

CONNECTIONS, SOURCES, ROUNDS = 5000, 100, 50


def settled(target):
    return all(listener["active"] == 0 for listener in target.stats()["listeners"].values())


def check_sums(metrics, api):
    """Of the listener `default`."""
    accepted = metrics['l4lb_listener_accepted_total{listener="default"}']
    reasons = sum(value for series, value in metrics.items()
                  if series.startswith('l4lb_listener_closed_total{listener="default",reason='))
    assert accepted == reasons == CONNECTIONS
    sums = api.get("/v1/listeners/default")["sums"]
    assert sums["accepted"] == sums["closed"] == accepted
    delivered = metrics['l4lb_listener_client_delivered_bytes_total{listener="default"}']
    assert delivered == sums["client_bytes_delivered"] == CONNECTIONS * 64


@only_l4lb
def test_N05_cardinality(stage, way):
    spare = [stage.backend(Ident(name="first", forked=True)),
             stage.backend(Ident(name="second", forked=True))]
    listeners, pools = zip(service("default", [stage.backend(Served("ask", name="ask"))]),
                           service("other", spare))
    target = stage.target(way, [], listeners=list(listeners), pools=list(pools))
    api, other = Api(target), Entry(target.addresses[1])
    before = api.metrics()
    run_load("connect", target, "--ask", f"--count={CONNECTIONS}", f"--sources={SOURCES}",
             "--warmup=0s", "--concurrency=16")
    wait_until(lambda: settled(target), limit(2), "the end of all sessions")
    after = api.metrics()
    assert set(after) == set(before)
    check_sums(after, api)

    api.delete("/v1/pools/other/backends/second")
    for number in range(ROUNDS):
        name = f"round-{number}"
        host, port = spare[1].address
        api.post("/v1/pools/other/backends", {"name": name, "address": f"{host}:{port}"})
        assert {visit(other) for _ in range(6)} == {"first", "second"}
        api.delete(f"/v1/pools/other/backends/{name}")
    wait_until(lambda: settled(target), limit(2), "the end of all sessions")
    is_of_second = lambda series: 'backend="second"' in series
    expected = {series for series in before if not is_of_second(series)}
    wait_until(lambda: set(api.metrics()) == expected, limit(2), "the removed ones' series to go")

    text = api.ask("GET", "/metrics").body
    assert not re.search(rb'127\.\d+\.\d+\.\d+', text), "an address in a label"
    subprocess.run(["promtool", "check", "metrics"], input=text, check=True, capture_output=True)
    target.quiet()
