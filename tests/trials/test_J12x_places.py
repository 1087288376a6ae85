# SPDX-License-Identifier: Apache-2.0
"""J12x (ours): `max_connections` of a listener and of the process, with two workers.

4 places, 24 clients at once.  Expected: 4 are served, the others wait in the backlog, whichever
worker's it is, without a busy loop; the listener counts that it paused, and why; whenever a client
leaves, another one is served within 1 s; in the end all were, and none was refused.  A limit of one
listener leaves the other one alone.
"""

from kit import Entry, Ident, limit, only_l4lb, scaled, wait_until
from kit.configuration import service
from kit.ends import visit
from kit.queueing import Client, next_served

import pytest

PLACES, CLIENTS = 4, 24


def served(clients):
    return [client for client in clients if client.served()]


def all_in_turn(stage, target):
    """The trial's clients, until every one was served."""
    waiting = [Client(stage, target, number) for number in range(CLIENTS)]
    held = [next_served(waiting, limit(1)) for _ in range(PLACES)]
    target.check_rest(busy=scaled(50, 150))  # Paused listeners look every 100 ms.
    assert not served(waiting)
    while held:
        held.pop(0).leave()
        if waiting:
            held.append(next_served(waiting, limit(1)))


@pytest.mark.parametrize("key, counter", [
    ("max_connections", "paused_max_connections"),
    ("listener_max_connections", "paused_listener_max_connections")])
@only_l4lb
def test_J12x_places(stage, way, key, counter):
    backend = stage.backend(Ident(name="b"))
    target = stage.target(way, [backend], workers=2, **{key: PLACES})
    all_in_turn(stage, target)
    assert backend.peak <= PLACES and backend.accepted == CLIENTS
    assert target.listener()[counter] > 0
    target.expect_reasons(client_fin=CLIENTS)
    target.quiet()


@only_l4lb
def test_J12x_other_listener(stage, way):
    services = [service("default", [stage.backend(Ident(name="b"))],
                        {"max_connections": 1}),
                service("other", [stage.backend(Ident(name="c"))])]
    target = stage.target(way, [], workers=2, listeners=[listener for listener, _ in services],
                          pools=[pool for _, pool in services])
    waiting = [Client(stage, target, number) for number in range(2)]
    first = next_served(waiting, limit(1))
    second, = waiting
    other = Entry(target.addresses[1])
    assert [visit(other) for _ in range(20)] == ["c"] * 20
    assert not second.served()
    first.leave()
    wait_until(second.served, limit(1), "the second client")
    second.leave()
    target.quiet()
