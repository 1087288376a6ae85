# SPDX-License-Identifier: Apache-2.0
"""J07: the hash of a client's address must not take in its port (the part without PROXY).

Maglev and the ring on `source_ip`, four backends.  50 connections from 127.0.0.1; then one each
from 127.0.1.1 to 127.0.1.200; again; and again after a restart with another number of workers.
Expected: 50 of 50 at one backend; of the 200 each backend has 50 +- 25; the same places every time.
With `source_ip_port` the connections of one address are spread.
"""

import collections

from kit import Ident, only_l4lb
from kit.ends import visit

import pytest

SOURCES = [f"127.0.1.{i}" for i in range(1, 201)]


@pytest.mark.parametrize("policy", ["maglev", "ring"])
@only_l4lb
def test_J07_source_ip(stage, way, policy):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(4)]
    target = stage.target(way, backends, policy=policy)
    assert len({visit(target) for _ in range(50)}) == 1
    places = {source: visit(target, source=source) for source in SOURCES}
    shares = collections.Counter(places.values())
    assert len(shares) == 4 and all(25 <= share <= 75 for share in shares.values()), shares
    assert places == {source: visit(target, source=source) for source in SOURCES}
    target.quiet()
    again = stage.target(way, backends, policy=policy, workers=1)
    assert places == {source: visit(again, source=source) for source in SOURCES}


@pytest.mark.parametrize("policy", ["maglev", "ring"])
@only_l4lb
def test_J07_source_ip_port(stage, way, policy):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(4)]
    target = stage.target(way, backends, policy=policy, hash_key="source_ip_port")
    assert len({visit(target) for _ in range(50)}) == 4
