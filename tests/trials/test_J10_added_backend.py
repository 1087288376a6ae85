# SPDX-License-Identifier: Apache-2.0
"""J10: a backend added at run time gets its share.

Each policy: four backends with traffic, a fifth is added by the API, then 500 connections.
Expected at the new one: 100 +- 2 in turn; at least 50 of least_connections with none held;
100 +- 35 of p2c and random; 100 +- 45 of maglev and the ring, from 500 addresses.  Likewise by a
reload, and with the weight 4 half of them.
"""

import collections

from kit import Ident, only_l4lb
from kit.api import Api, rewrite
from kit.configuration import members
from kit.ends import visit

import pytest

CONNECTIONS = 500
SLACK = {"round_robin": 2, "random": 35, "p2c": 35, "maglev": 45, "ring": 45}
POLICIES = pytest.mark.parametrize("policy", [*SLACK, "least_connections"])


def begin(stage, way, policy):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(5)]
    target = stage.target(way, backends[:4], policy=policy)
    for i in range(40):
        visit(target, source=f"127.0.2.{i + 1}")
    return target, backends


def visits_of_new(target):
    visits = collections.Counter(
        visit(target, source=f"127.1.{i // 250}.{i % 250 + 1}") for i in range(CONNECTIONS))
    assert set(visits) == {f"b{i}" for i in range(5)}, visits
    return visits["b4"]


@POLICIES
@only_l4lb
def test_J10_by_api(stage, way, policy):
    target, backends = begin(stage, way, policy)
    Api(target).add(backends[4])
    count = visits_of_new(target)
    if policy == "least_connections":
        assert count >= 50
    else:
        assert abs(count - CONNECTIONS / 5) <= SLACK[policy], count
    target.quiet()


@only_l4lb
def test_J10_weighted_by_reload(stage, way):
    target, backends = begin(stage, way, "round_robin")
    target.config["pools"][0]["backends"] = members(backends, weights=[1, 1, 1, 1, 4])
    rewrite(target)
    assert Api(target).reload()["changes"] == ["pool default: backend b4 added"]
    assert abs(visits_of_new(target) - CONNECTIONS / 2) <= 2 * SLACK["round_robin"]
    target.quiet()
