# SPDX-License-Identifier: Apache-2.0
"""D06: no way out of a session may leak memory or descriptors.

20,000 short echoes one after the other (in CI 2,000); then 5,000 connections that the backend
refuses and 5,000 that the client resets (in CI 500 each).  Expected: after the first quarter of
each kind the process grows by at most 2 MiB, and it has not one descriptor more at the end.
"""

from kit import Echo, Entry, Refuse, each_engine, linger0, only_l4lb, scaled
from kit.configuration import service
from kit.ends import echoes, refused

ECHOES, OTHERS = scaled(2000, 20000), scaled(500, 5000)
GROWTH = 2 << 20


def echo(stage, target):
    with stage.connect(target) as client:
        assert echoes(client)
    stage.close_clients()


def growth(target, count, task):
    """Bytes of memory that the last three quarters of `count` tasks have cost."""
    for _ in range(count // 4):
        task()
    before = target.rss()
    for _ in range(count - count // 4):
        task()
    return target.rss() - before


def check_growth(target, count, task):
    grown = growth(target, count, task)
    assert grown <= GROWTH or target.is_l4lb and target.sanitized, f"{grown} bytes"


@each_engine
def test_D06_echoes(stage, way):
    target = stage.target(way, [stage.backend(Echo(forked=True))])
    check_growth(target, ECHOES, lambda: echo(stage, target))
    target.expect_reasons(client_fin=ECHOES)
    target.quiet()


@only_l4lb
def test_D06_failures(stage, way):
    services = [service("default", [stage.backend(Echo(forked=True))]),
                service("dead", [stage.backend(Refuse())])]
    target = stage.target(way, [], listeners=[listener for listener, _ in services],
                          pools=[pool for _, pool in services])

    def leave():
        client = stage.connect(target)
        client.sendall(b"x")
        linger0(client)
        stage.close_clients()

    check_growth(target, OTHERS, leave)
    check_growth(target, OTHERS, lambda: refused(target.addresses[1], 1))
    target.quiet()
    stats = target.stats()
    assert stats["listeners"]["default"]["accepted"] == OTHERS
    assert stats["listeners"]["dead"]["closed_by_reason"]["connect_failed"] == OTHERS
