# SPDX-License-Identifier: Apache-2.0
"""G06: source ports run out.

In a network namespace with 20 ephemeral ports (of an odd number the kernel does not look at all);
backends on 127.0.0.1:9001 and 127.0.0.2:9001; 60 long connections from as many addresses, and again
with the balancer's own address set to 127.0.0.9.  Expected: 40 are served, 20 at each backend,
since a port is taken for one destination only; the other 20 are closed within 200 ms for the reason
`no_port`, which the log names in few lines; no backend counts a failure, no busy loop; 1 s after
all have left, 20 new ones work.

With checks on likewise: a check for which no port is left says nothing about its backend, and they
take next to none from the sessions.
"""

import time

from kit import Ident, limit, only_l4lb, receive, scaled, wait_until
from kit.api import Api
from kit.ends import name_of, visit
from kit.health import await_health, changes, every
from kit.namespace import in_namespace, set_kernel

import pytest

PORTS, CLIENTS, INTERVAL = 20, 60, 0.2


def client(stage, target, number):
    """Its socket and backend, None when it was closed in time."""
    try:
        sock = stage.connect(target, source=f"127.0.1.{number + 1}")
    except ConnectionResetError:
        return None
    arrival = receive(sock, limit(0.2), count=1)
    assert arrival.end != "open" or arrival.count, "neither served nor closed"
    return (arrival.data.decode() + name_of(sock)) if arrival.count else None


def begin(stage, way, **options):
    """Two backends behind the daemon, in a network with so many ports."""
    try:
        set_kernel("net.ipv4.ip_local_port_range", "40000 40019")
    except OSError as error:
        pytest.skip(f"no port range of its own: {error}")
    backends = [stage.backend(Ident(name=f"b{i}", host=f"127.0.0.{i}", port=9001)) for i in (1, 2)]
    # A port for questions would come from the same range.
    return stage.target(way, backends, bind=["127.0.0.1:7000"],
                        admin={"bind": f"unix:{stage.folder}/admin"}, **options)


def new_ones_work(stage, target):
    stage.close_clients()
    wait_until(lambda: target.listener()["active"] == 0, limit(1), "the end of all")
    time.sleep(1.2)  # From 1 s on the kernel gives ports in TIME_WAIT to others.
    for number in range(20):
        assert visit(target, source=f"127.0.2.{number + 1}") in ("b1", "b2")
    target.quiet()


@pytest.mark.parametrize("options", [
    {"policy": "round_robin"}, {"policy": "least_connections", "source": ["127.0.0.9"]}],
                         ids=["any", "source"])
@only_l4lb
@in_namespace
def test_G06_ports_exhausted(stage, way, options):
    target = begin(stage, way, **options)
    lines = len(target.stderr)
    served = [name for name in (client(stage, target, n) for n in range(CLIENTS)) if name]
    assert (served.count("b1"), served.count("b2")) == (PORTS, PORTS)
    target.expect_reasons(no_port=CLIENTS - 2 * PORTS)
    said = [line for line in target.stderr[lines:] if not line.startswith('{"')]
    assert 0 < len(said) <= 5 and any("port" in line for line in said), said
    assert all(b["failures"] == 0 for b in target.pool()["backends"].values())
    target.check_rest()
    new_ones_work(stage, target)


@only_l4lb
@in_namespace
def test_G06_with_checks(stage, way):
    target = begin(stage, way, health_check=every(INTERVAL))
    api, names = Api(target), ("b1", "b2")
    for name in names:
        await_health(api, name, "up", limit(1))
    lines = len(target.stderr)
    served = [name for name in (client(stage, target, n) for n in range(CLIENTS)) if name]
    # A check under way has a port; so has, for a second, one that ended by TIME_WAIT.
    for name in names:
        assert PORTS - 1 / INTERVAL - 1 <= served.count(name) <= PORTS, served
    time.sleep(scaled(5, 10) * INTERVAL)
    for name, backend in api.backends().items():
        say = f"{name}: {backend}"
        assert backend["check"]["health"] == "up" and backend["takes_sessions"], say
        assert (backend["check"]["failed"], backend["ejections"], changes(target, name, lines)) == (
            0, 0, []), say
    assert all(b["failures"] == 0 for b in target.pool()["backends"].values())
    before = {name: b["check"]["passed"] for name, b in api.backends().items()}
    target.expect_reasons(no_port=CLIENTS - len(served))
    new_ones_work(stage, target)
    wait_until(lambda: all(b["check"]["passed"] > before[name]
                           for name, b in api.backends().items()), limit(1), "checks to go on")
