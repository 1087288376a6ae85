# SPDX-License-Identifier: Apache-2.0
"""G08: with no backend left, clients are not left hanging.

Two backends; both die, and checks every 500 ms find it; then both are removed by the API.  20
clients each time.  Expected: each is closed within 100 ms, by a reset or a FIN, and counted as
`no_backend`; within one interval after a backend has come back, or was added, clients are served
again.
"""

from kit import Ident, limit, only_l4lb, wait_until
from kit.api import Api
from kit.ends import refused, visit
from kit.health import await_health, every, out_within

CLIENTS = 20
INTERVAL = 0.5
IN_AGAIN = 1.05 * INTERVAL + 0.1  # The interval has a jitter of 5 %.


def all_closed(target, no_backend):
    """20 more clients; so many in all were closed for want of a backend."""
    for _ in range(CLIENTS):
        assert refused(target.address, limit(0.1))
    reasons = target.listener()["closed_by_reason"]
    assert reasons["no_backend"] == no_backend, reasons


def served_again(target, name):
    """Waits for it; returns how many were closed until then."""
    before = target.listener()["closed_by_reason"]["no_backend"]

    def served():
        return not refused(target.address, limit(0.2)) and visit(target) == name
    wait_until(served, limit(IN_AGAIN), f"clients to be served by {name}")
    return target.listener()["closed_by_reason"]["no_backend"] - before


@only_l4lb
def test_G08_no_backend(stage, way):
    backends = [stage.backend(Ident(name=f"b{i}", forked=True)) for i in range(2)]
    target = stage.target(way, backends, health_check=every(INTERVAL, rise=1))
    api = Api(target)
    assert {visit(target), visit(target)} == {"b0", "b1"}
    for backend in backends:
        backend.kill()
    for backend in backends:
        await_health(api, backend.name, "down", limit(out_within(INTERVAL)))
    metrics = api.metrics()
    assert metrics['l4lb_pool_healthy_backends{pool="default"}'] == 0
    assert [v for k, v in metrics.items() if k.startswith("l4lb_backend_up{")] == [0, 0]
    all_closed(target, CLIENTS)
    target.check_rest()

    stage.backend(Ident(name="b0", port=backends[0].port))
    closed = served_again(target, "b0")
    for backend in backends:
        api.delete(f"/v1/pools/default/backends/{backend.name}")
    wait_until(lambda: not api.backends(), limit(2), "both to be removed")
    all_closed(target, 2 * CLIENTS + closed)

    api.add(stage.backend(Ident(name="new")))
    served_again(target, "new")
    target.quiet()
