# SPDX-License-Identifier: Apache-2.0
"""J01: round robin is even, also over several workers.

Four backends, 1 and 2 workers; 400 connections one after the other.  Expected: 100 at each; with 2
workers, which take turns independently of each other, 100 +- 2.
"""

import collections

import pytest

from kit import Ident, each_engine
from kit.ends import visit

CONNECTIONS = 400


@pytest.mark.parametrize("workers, slack", [(1, 0), (2, 2)])
@each_engine
def test_J01_round_robin(stage, way, workers, slack):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(4)]
    target = stage.target(way, backends, workers=workers)
    visits = collections.Counter(visit(target) for _ in range(CONNECTIONS))
    assert all(abs(visits[b.name] - CONNECTIONS / 4) <= slack for b in backends), visits
    target.expect_reasons(client_fin=CONNECTIONS)
    target.quiet()
