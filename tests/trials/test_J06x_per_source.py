# SPDX-License-Identifier: Apache-2.0
"""J06x (ours): limits per client address hold over all workers, and hit nobody else.

`per_source.max_connections: 3`: of 6 connections from one address 3 are served and 3 closed within
200 ms, reason `limit`, and log and counter name the limit; another address is served meanwhile; a
connection that ends makes room for one.  `per_source.rate: 5`: of connections made as fast as
possible at most 5 a second, and as many at once, are served; later the address is served again.
IPv6: the addresses of one /64 count as one source.  With 500 sources each has its own.
"""

import time

from kit import Ident, limit, only_l4lb, wait_until
from kit.ends import name_of, refused, visit
from kit.namespace import add_addresses, in_namespace

import pytest

PER_SOURCE = "per_source.max_connections"


def start(stage, way, most, **options):
    return stage.target(way, [stage.backend(Ident(name="b"))], per_source=most, workers=2,
                        **options)


def hold(stage, target, source):
    sock = stage.connect(target, source=source)
    assert name_of(sock) == "b"
    return sock


def check_refusals(target, count, key):
    """Counter and log name the limit."""
    listener = target.listener()
    assert listener["closed_by_reason"]["limit"] == count
    assert {k: n for k, n in listener["refused_by_limit"].items() if n} == {key: count}
    ended = listener["closed"]
    lines = [line for line in target.access_log(ended) if line["reason"] == "limit"]
    assert [line["limit"] for line in lines] == [key] * count
    assert all(line["backend"] is None for line in lines)


@only_l4lb
def test_J06x_max_connections(stage, way):
    target = start(stage, way, {"max_connections": 3})
    mine = [hold(stage, target, "127.0.0.1") for _ in range(3)]
    for _ in range(3):
        assert refused(target.address, limit(0.2), source="127.0.0.1")
        hold(stage, target, "127.0.0.2").close()
    check_refusals(target, 3, PER_SOURCE)
    mine.pop().close()
    wait_until(lambda: target.listener()["active"] == 2, limit(1), "the end of one session")
    hold(stage, target, "127.0.0.1")
    assert refused(target.address, limit(0.2), source="127.0.0.1")
    stage.close_clients()
    target.quiet()
    check_refusals(target, 4, PER_SOURCE)


@only_l4lb
def test_J06x_rate(stage, way):
    target = start(stage, way, {"rate": 5})
    begin, served, tried = time.monotonic(), 0, 0
    while time.monotonic() - begin < 2:
        tried += 1
        served += not refused_at_once(target, "127.0.0.1")
        time.sleep(0.01)
    took = time.monotonic() - begin
    assert 5 * (took - 1) <= served <= 5 * (took + 1) + 1, f"{served} of {tried} in {took:.2f} s"
    assert served < tried
    assert all(visit(target, source="127.0.0.2") == "b" for _ in range(5))
    check_refusals(target, tried - served, "per_source.rate")
    time.sleep(1.2)
    assert visit(target, source="127.0.0.1") == "b"
    target.quiet()


def refused_at_once(target, source):
    """A client from `source`; False when it was served, and then has left."""
    try:
        visit(target, source=source)
        return False
    except (AssertionError, ConnectionResetError, BrokenPipeError):
        return True


@only_l4lb
@in_namespace
def test_J06x_ipv6_by_64(stage, way):
    try:
        add_addresses("fd00:0:0:1::1/128", "fd00:0:0:1::2/128", "fd00:0:0:1:8000::1/128",
                      "fd00:0:0:2::1/128")
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")
    target = start(stage, way, {"max_connections": 2}, bind=["[::]:7000"])
    target.address = ("fd00:0:0:2::1", 7000)
    hold(stage, target, "fd00:0:0:1::1")
    hold(stage, target, "fd00:0:0:1::2")
    for source in ("fd00:0:0:1::1", "fd00:0:0:1:8000::1"):
        assert refused(target.address, limit(0.2), source=source)
    hold(stage, target, "fd00:0:0:2::1")
    # IPv4 clients of the same socket are sources of their own.
    target.address = ("127.0.0.1", 7000)
    for source in ("127.0.0.5", "127.0.0.6"):
        hold(stage, target, source)
        hold(stage, target, source)
        assert refused(target.address, limit(0.2), source=source)
    check_refusals(target, 4, PER_SOURCE)
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_J06x_many_sources(stage, way):
    target = start(stage, way, {"max_connections": 1})
    sources = [f"127.0.{1 + n // 250}.{1 + n % 250}" for n in range(500)]
    for source in sources:
        assert visit(target, source=source) == "b"
    held = [hold(stage, target, source) for source in sources[:50]]
    for source in sources[:50]:
        assert refused(target.address, limit(0.2), source=source)
    assert len(held) == target.listener()["active"]
    stage.close_clients()
    target.quiet()
