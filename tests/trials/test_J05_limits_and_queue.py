# SPDX-License-Identifier: Apache-2.0
"""J05: all backends at their limit.

(a) Two backends with limit 1 each, every policy and both kinds of queue (in CI one policy with a
queue per backend); 10 clients at once, each holds its place for 1 s (in CI 0.2 s).  Expected: the
counters are had within 100 ms, no busy loop, no backend ever has more connections than its limit,
all are served in the end.  (b) Three backends, limit 5, 200 clients at once from 4 threads, 50 ms
each: the peak at each backend is 5, all are served.  (c) While all places are held, clients line up
in a known order.  With one queue for the pool, each place that becomes free goes to the client that
came first, also past clients who come later and over several workers; with a queue per backend,
each backend serves its own in the order in which they came.  (d) A queue that is full, none at all,
a client that waited too long, and one that left: each ends at once, in its time, and for its own
reason.
"""

import time

from kit import (Deadline, Ident, Script, each_engine, each_policy, limit, linger0, only_l4lb,
                 receive, scaled, together, wait_until)
from kit.ends import name_of, refused
from kit.queueing import Client, fill, line_up, next_served

import pytest

PERS = ["pool", "backend"]
HOLD = scaled(0.2, 1)
POLICIES = ["round_robin", "random", "least_connections", "p2c"]
LIMIT_ONE = [("pool", policy) for policy in POLICIES] + [
    ("backend", policy) for policy in scaled(["least_connections"], POLICIES)]
each_per = pytest.mark.parametrize("per", PERS)


def idents(stage, count, **options):
    return [stage.backend(Ident(name=f"b{i}", **options)) for i in range(count)]


def queue(per="pool", timeout="60s", most=1024):
    return {"limit": most, "timeout": timeout, "per": per}


def start(stage, way, backends, most, per, policy, **options):
    """HAProxy has no other queue than one for all."""
    if way == "haproxy" and (per != "pool" or policy == "p2c"):
        pytest.skip("not HAProxy's")
    return stage.target(way, backends, limits=[most] * len(backends), queue=queue(per),
                        policy=policy, **options)


@pytest.mark.parametrize("per, policy", LIMIT_ONE)
@each_engine
def test_J05_a_limit_one(stage, way, per, policy):
    backends = idents(stage, 2)
    target = start(stage, way, backends, 1, per, policy)
    asked = []

    def client(number):
        sock = stage.connect(target)
        name_of(sock, within=limit(10 * HOLD + 2))
        if number % 3 == 0 and target.is_l4lb:
            begin = time.monotonic()
            target.stats()
            asked.append(time.monotonic() - begin)
        time.sleep(HOLD)
        sock.close()

    before, begin = target.turns() if target.is_l4lb else 0, time.monotonic()
    together(10, 10, client)
    took = time.monotonic() - begin
    assert [b.peak for b in backends] == [1, 1]
    assert sum(b.accepted for b in backends) == 10
    if target.is_l4lb:
        assert max(asked) <= limit(0.1)
        assert target.turns() - before <= 200 + 20 * took
        assert target.pool()["queued"] == 8
    target.quiet()


def crowd(stage, target, count):
    """So many clients at once on one thread; each leaves 50 ms after it was served.  Returns the
    names of their backends."""
    waiting, held = [Client(stage, target, number) for number in range(count)], []
    names, deadline = [], Deadline(limit(10))
    while waiting or held:
        assert not deadline.passed(), f"{len(waiting)} clients were not served"
        now = time.monotonic()
        held += [(now + 0.05, client) for client in waiting if client.served()]
        waiting = [client for client in waiting if client.name is None]
        for _, client in [pair for pair in held if pair[0] <= now]:
            names.append(client.name)
            client.leave()
        held = [pair for pair in held if pair[0] > now]
        time.sleep(0.002)
    return names


@each_per
@each_engine
def test_J05_b_a_crowd(stage, way, per):
    backends = idents(stage, 3, forked=True)
    target = start(stage, way, backends, 5, per, "least_connections")
    served = sum(together(4, 4, lambda _: crowd(stage, target, 50)), [])
    assert len(served) == 200 and set(served) == {"b0", "b1", "b2"}
    assert [b.peak for b in backends] == [5, 5, 5]
    if target.is_l4lb:
        assert target.pool()["queued"] >= 100 and target.pool()["queue_full"] == 0
    target.expect_reasons(client_fin=200)
    target.quiet()


@each_policy
@only_l4lb
def test_J05_c_one_queue(stage, way, policy):
    backends = idents(stage, 3)
    target = start(stage, way, backends, 2, "pool", policy)
    held = fill(stage, target, 6)
    waiting = line_up(stage, target, 12)
    for number in range(16):
        leaving = held.pop(number * 5 % len(held))
        leaving.leave()
        client = next_served(waiting, limit(1))
        assert client.number == number, f"{client.number} was served before {number}"
        assert client.name == leaving.name
        assert not any([later.served() for later in waiting])
        held.append(client)
        if number < 4:  # One that comes late does not overtake.
            waiting.append(Client(stage, target, 12 + number))
            wait_until(lambda: target.pool()["waiting"] == 12, limit(2), "the late one in line")
    assert [b.peak for b in backends] == [2, 2, 2]
    stage.close_clients()
    target.quiet()


@each_policy
@only_l4lb
def test_J05_c_queue_per_backend(stage, way, policy):
    orders = {}

    def serve(name):
        def note_number(sock, _index):
            number = int(receive(sock, limit(10), count=2).data)
            orders.setdefault(name, []).append(number)
            sock.sendall(name.encode() + b"\n")
            assert receive(sock, limit(30)).end == "fin"
        return note_number

    backends = [stage.backend(Script(serve(f"b{i}"), name=f"b{i}")) for i in range(3)]
    target = start(stage, way, backends, 1, "backend", policy)

    def numbered(number):
        client = Client(stage, target, number)
        client.sock.sendall(b"%02d" % number)
        return client

    clients, seen = [], 0
    for number in range(24):
        clients.append(numbered(number))
        seen = wait_until(lambda: sum(map(len, orders.values())) + target.pool()["waiting"] > seen
                          and number + 1, limit(2), f"client {number} in its queue")
    assert target.pool()["waiting"] >= 21
    for _ in range(24):
        client = wait_until(lambda: next((c for c in clients if c.served()), None), limit(2),
                            "the next client of any backend")
        clients.remove(client)
        client.leave()
    assert sum(map(len, orders.values())) == 24
    assert all(order == sorted(order) for order in orders.values()), orders
    assert policy == "random" or len(orders) == 3
    assert [b.peak for b in backends if b.accepted] == [1] * len(orders)
    target.quiet()


@each_per
@only_l4lb
def test_J05_d_ends(stage, way, per):
    target = stage.target(way, idents(stage, 1), limits=[1],
                          queue=queue(per, timeout="2s", most=3))
    holder, = fill(stage, target, 1)
    begin = time.monotonic()
    first, leaver, third = line_up(stage, target, 3)
    assert refused(target.address, limit(0.2)), "the queue has room for 3"
    target.expect_reasons(queue_full=1)
    linger0(leaver.sock)
    wait_until(lambda: target.pool()["waiting"] == 2, limit(1), "the leaver's place in the queue")
    holder.leave()
    next_served([first], limit(1))
    assert receive(third.sock, limit(3)).end in ("fin", "reset")
    assert 1.98 <= time.monotonic() - begin <= limit(2.5)
    target.expect_reasons(queue_full=1, client_reset=1, client_fin=1, queue_timeout=1)
    first.leave()
    target.expect_reasons(queue_full=1, client_reset=1, client_fin=2, queue_timeout=1)
    ends = [(line["reason"], line["phase"]) for line in target.access_log(5)]
    assert sorted(ends) == [("client_fin", "data")] * 2 + [
        ("client_reset", "queue"), ("queue_full", "queue"), ("queue_timeout", "queue")]
    pool = target.pool()
    assert (pool["queued"], pool["queue_full"], pool["queue_timeouts"]) == (3, 1, 1)
    target.quiet()


@pytest.mark.parametrize("key, options", [
    ("backends.max_connections", {"limits": [1]}),
    ("pool.max_connections", {"pool_max_connections": 1})])
@only_l4lb
def test_J05_d_no_queue(stage, way, key, options):
    target = stage.target(way, idents(stage, 1), queue=queue(most=0), **options)
    holder, = fill(stage, target, 1)
    assert refused(target.address, limit(0.2))
    target.expect_reasons(limit=1)
    assert {k: n for k, n in target.listener()["refused_by_limit"].items() if n} == {key: 1}
    line, = target.access_log(1)
    assert (line["reason"], line["limit"]) == ("limit", key)
    holder.leave()
    wait_until(lambda: target.listener()["active"] == 0, limit(1), "the place to be free")
    fill(stage, target, 1)[0].leave()
    target.quiet()


@only_l4lb
def test_J05_e_pool_limit(stage, way):
    """The pool's own limit queues like those of its backends."""
    backends = idents(stage, 3)
    target = stage.target(way, backends, pool_max_connections=4, queue=queue())
    held = fill(stage, target, 4)
    waiting = line_up(stage, target, 8)
    for number in range(8):
        held.pop(0).leave()
        held.append(next_served(waiting, limit(1)))
        assert held[-1].number == number
    assert target.pool()["queued"] == 8
    stage.close_clients()
    target.quiet()
