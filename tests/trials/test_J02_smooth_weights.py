# SPDX-License-Identifier: Apache-2.0
"""J02: weights are kept without bursts.

Round robin, weights 5:1:1, 700 connections one after the other.  Expected: 500, 100 and 100 of
them, and never more than 4 in a row at one backend.  With 2 workers each keeps to the weights by
itself: the shares may differ by 5, and two turns of 4 may meet.
"""

import collections
import itertools

import pytest

from kit import Ident, each_engine
from kit.ends import visit

WEIGHTS = [5, 1, 1]
CONNECTIONS = 700


@pytest.mark.parametrize("workers, slack, longest", [(1, 0, 4), (2, 5, 8)])
@each_engine
def test_J02_smooth_weights(stage, way, workers, slack, longest):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(len(WEIGHTS))]
    target = stage.target(way, backends, weights=WEIGHTS, workers=workers)
    visits = [visit(target) for _ in range(CONNECTIONS)]
    shares, unit = collections.Counter(visits), CONNECTIONS / sum(WEIGHTS)
    for backend, weight in zip(backends, WEIGHTS):
        assert abs(shares[backend.name] - weight * unit) <= slack, shares
    assert max(len(list(run)) for _, run in itertools.groupby(visits)) <= longest
    target.quiet()
