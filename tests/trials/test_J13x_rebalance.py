# SPDX-License-Identifier: Apache-2.0
"""J13x: a rebalance makes long-lived sessions even, and closes no more than that takes.

30 long sessions at one backend, which was alone; two more are added at run time; 10 of the sessions
have moved a byte of late.  Rebalance; the clients connect anew at once.  Expected: 10 at each; 20
were closed, none of the 10 among them (two workers close their own idlest by turns, so that there
only the first to go are sure), with the reason `rebalanced`, at most 10 a second (of more than 100
sessions: a tenth of them).  A second one finds nothing to do.  With weights 1, 2, 2: 6, 12, 12.
"""

import time

from kit import Ident, limit, only_l4lb
from kit.api import Api
from kit.crowd import Crowd
from kit.ends import echoes

import pytest

SESSIONS = 30
A_SECOND = 10


def begin(stage, way, weights, **options):
    backends = [stage.backend(Ident(name=f"b{i}", forked=True)) for i in range(3)]
    target = stage.target(way, backends[:1], policy="least_connections", **options)
    api, crowd = Api(target), Crowd(stage, target, SESSIONS)
    for backend, weight in zip(backends[1:], weights):
        api.add(backend, weight=weight)
    return target, api, crowd


def rebalance(api, crowd, count):
    assert api.post("/v1/pools/default/rebalance") == {"closing": count}
    begun = time.monotonic()
    crowd.watch(limit(15), until=lambda: len(crowd.closed) == count)
    crowd.watch(1)
    assert len(crowd.closed) == count
    # A step at the very beginning, then ten a second.
    assert crowd.closed[-1][0] - begun >= (count - 1) / A_SECOND - 1
    assert api.post("/v1/pools/default/rebalance") == {"closing": 0}


@pytest.mark.parametrize("workers", [1, 2])
@only_l4lb
def test_J13x_even(stage, way, workers):
    target, api, crowd = begin(stage, way, [1, 1], workers=workers)
    busy = list(crowd.names)[::3]
    time.sleep(0.2)
    assert all(echoes(sock) for sock in busy)
    rebalance(api, crowd, 20)
    assert crowd.counts() == {"b0": 10, "b1": 10, "b2": 10}
    sure = crowd.closed if workers == 1 else crowd.closed[:5]
    assert not {sock for _, sock in sure} & set(busy), "the idlest were to go"
    lines = target.access_log(20)
    assert [line["reason"] for line in lines] == ["rebalanced"] * 20
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_J13x_weighted(stage, way):
    target, api, crowd = begin(stage, way, [2, 2])
    rebalance(api, crowd, 24)
    assert crowd.counts() == {"b0": 6, "b1": 12, "b2": 12}
    stage.close_clients()
    target.quiet()
