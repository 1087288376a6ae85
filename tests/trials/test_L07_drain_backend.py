# SPDX-License-Identifier: Apache-2.0
"""L07: a drained backend gets nobody, whatever the policy, and stays drained over a reload.

Each policy: 10 long connections on b1; drain b1; 200 new connections; reload of the same file; 100
new; a reload that changes another backend's weight; 100 new; undrain; 200 new.  Expected: 0 of 400
at b1; the 10 still echo; afterwards b1 has its share.  The drain is shown as an override until
then.  maglev and the ring give every client its old place back.
"""

import collections

from kit import Ident, only_l4lb
from kit.api import Api, rewrite
from kit.configuration import members
from kit.ends import echoes, name_of, visit

import pytest

HELD = 10
LOOKUP = ("maglev", "ring")


def sources(count):
    return [f"127.1.{i // 250}.{i % 250 + 1}" for i in range(count)]


def visits(target, count):
    return {source: visit(target, source=source) for source in sources(count)}


def hold_some(stage, target):
    """10 connections on b1; the others that came about are closed again."""
    held, others = [], []
    for source in sources(200):
        sock = stage.connect(target, source=source)
        (held if name_of(sock) == "b1" else others).append(sock)
        if len(held) == HELD:
            break
    for sock in others:
        sock.close()
    assert len(held) == HELD
    return held


@pytest.mark.parametrize("policy", ["round_robin", "random", "least_connections", "p2c", *LOOKUP])
@only_l4lb
def test_L07_drain_backend(stage, way, policy):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(4)]
    target = stage.target(way, backends, policy=policy, drain_timeout="1h")
    api = Api(target)
    before = visits(target, 200) if policy in LOOKUP else {}
    held = hold_some(stage, target)

    drained = api.post("/v1/pools/default/backends/b1/drain")
    assert (drained["state"], drained["overrides"]) == ("drain", ["state"])
    assert 0 < drained["drain_left_ms"] <= 3_600_000 and drained["active"] == HELD
    assert "b1" not in visits(target, 200).values()
    assert api.reload()["changed"] is False
    assert "b1" not in visits(target, 100).values()
    target.config["pools"][0]["backends"] = members(backends, weights=[1, 1, 2, 1])
    rewrite(target)
    assert api.reload()["changes"] == ["pool default: backend b2: weight 1 -> 2"]
    assert api.backends()["b1"]["overrides"] == ["state"]
    assert "b1" not in visits(target, 100).values()
    assert all(echoes(client) for client in held)
    target.config["pools"][0]["backends"] = members(backends)
    rewrite(target)
    api.reload()
    stage.close_clients()

    undrained = api.post("/v1/pools/default/backends/b1/undrain")
    assert (undrained["state"], undrained["overrides"]) == ("ready", [])
    assert undrained["drain_left_ms"] == -1
    after = visits(target, 200)
    share = collections.Counter(after.values())["b1"]
    assert 25 <= share <= 75, share
    assert not before or before == after
    target.quiet()
