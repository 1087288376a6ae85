# SPDX-License-Identifier: Apache-2.0
"""J03: least connections at low load must not send all ties to the same backend.

Four backends, 400 connections one after the other, never more than one open.  Expected: with equal
weights 100 +- 10 at each; with weights 1, 2, 4, 8 some at every backend, and no lighter one has
more than a heavier one.
"""

import collections

from kit import Ident, each_engine
from kit.ends import visit

CONNECTIONS = 400


def shares(stage, way, weights):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(4)]
    target = stage.target(way, backends, policy="least_connections", weights=weights)
    visits = collections.Counter(visit(target) for _ in range(CONNECTIONS))
    target.quiet()
    return [visits[backend.name] for backend in backends]


@each_engine
def test_J03_equal(stage, way):
    got = shares(stage, way, [1, 1, 1, 1])
    assert all(90 <= share <= 110 for share in got), got


@each_engine
def test_J03_weighted(stage, way):
    got = shares(stage, way, [1, 2, 4, 8])
    assert min(got) > 0 and got == sorted(got), got
