# SPDX-License-Identifier: Apache-2.0
"""G03: a retry must not land on the same dead backend, nor look for ever.

Every policy (the hash policies are below); three backends, then the port of the first refuses; no checks, one retry.  Expected:
10 of 10 connections are served by the others.  With only the dead backend (round robin and least
connections): each client is closed within 1 s, no busy loop, and the counters are had within 100
ms.
"""

import collections
import time

from kit import Ident, each_policy, limit, only_l4lb, wait_until
from kit.ends import refused, visit

import pytest

CONNECTIONS = 10


@each_policy
@only_l4lb
def test_G03_others_serve(stage, way, policy):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(3)]
    target = stage.target(way, backends, policy=policy, retries=1)
    wait_until(lambda: visit(target) == "b0", limit(5), "the policy to pick the first backend")
    before = target.listener()["accepted"]
    backends[0].close_listener()
    names = collections.Counter(visit(target) for _ in range(CONNECTIONS))
    assert set(names) <= {"b1", "b2"}
    # Until the dead one has been tried; so that a retry did happen.
    wait_until(lambda: visit(target) and target.pool()["retries"] > 0, limit(5), "a retry")
    target.expect_reasons(client_fin=target.listener()["accepted"])
    assert target.listener()["accepted"] >= before + CONNECTIONS
    assert target.pool()["backends"]["b0"]["failures"] == target.pool()["retries"]
    target.quiet()


@pytest.mark.parametrize("policy", ["maglev", "ring"])
@only_l4lb
def test_G03_others_serve_the_flow(stage, way, policy):
    """All connections of one client go to one backend; once it is dead, all to another one."""
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(3)]
    target = stage.target(way, backends, policy=policy, retries=1)
    home = visit(target)
    next(backend for backend in backends if backend.name == home).close_listener()
    names = {visit(target) for _ in range(CONNECTIONS)}
    assert len(names) == 1 and home not in names
    target.expect_reasons(client_fin=CONNECTIONS + 1)
    assert 0 < target.pool()["retries"] <= CONNECTIONS
    target.quiet()


@pytest.mark.parametrize("policy", ["round_robin", "least_connections", "maglev", "ring"])
@only_l4lb
def test_G03_only_the_dead_one(stage, way, policy):
    backend = stage.backend(Ident(name="b0"))
    target = stage.target(way, [backend], policy=policy)
    assert visit(target) == "b0"
    backend.close_listener()
    for _ in range(CONNECTIONS):
        assert refused(target.address, limit(1))
    begin = time.monotonic()
    target.stats()
    assert time.monotonic() - begin <= limit(0.1)
    target.expect_reasons(client_fin=1, connect_failed=CONNECTIONS)
    target.quiet()
