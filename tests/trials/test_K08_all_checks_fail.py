# SPDX-License-Identifier: Apache-2.0
"""K08: all checks fail although the backends serve.

Two backends that echo, whose checks go to a port of its own; there all fail from some moment on,
while clients come steadily and others stay.  Expected with `fail_open: {below: 0.5}`: no client
notices anything, before, during or after; the gauge `l4lb_pool_fail_open` is 1 meanwhile, and the
log says so once.  Without it, which is the default: the clients are closed within 100 ms for the
reason `no_backend`, and those who stay are left alone.

Likewise healthy backups help before anybody fails open, and otherwise take nobody; when all are
taken as healthy, so are they.
"""

from kit import Echo, Ident, limit, only_l4lb, wait_until
from kit.api import Api
from kit.arrivals import Arrivals, Plan
from kit.ends import echoes, refused, visit
from kit.health import Doctor, await_health, doctors, every, out_within

INTERVAL, CLIENTS, A_SECOND, SEED = 0.2, 20, 40, 8
GAUGE = 'l4lb_pool_fail_open{pool="default"}'


def begin(stage, way, backends, healers, port, **options):
    """The daemon once all backends are up; those of `backends` have the doctors' addresses."""
    target = stage.target(way, backends,
                          health_check=every(INTERVAL, port=port, **Doctor.EXPECTS), **options)
    api = Api(target)
    for number in range(len(healers)):
        # A backup takes no sessions yet.
        await_health(api, backends[number].name or f"b{number + 1}", "up", limit(1), acts=False)
    return target, api


def all_become(api, healers, names, well, acts=True):
    for healer in healers:
        healer.well = well
    for name in names:
        await_health(api, name, "up" if well else "down", limit(out_within(INTERVAL)), acts)


def pool_of(api):
    return api.get("/v1/pools/default")


@only_l4lb
def test_K08_fail_open(stage, way):
    healers, port = doctors(stage, 2)
    backends = [stage.backend(Echo(host=healer.host)) for healer in healers]
    target, api = begin(stage, way, backends, healers, port, fail_open={"below": 0.5})
    assert (pool_of(api)["healthy"], pool_of(api)["fail_open"], api.metrics()[GAUGE]) == (
        2, False, 0)
    staying = [stage.connect(target) for _ in range(CLIENTS)]
    crowd = Arrivals(stage, target.address, Plan(A_SECOND, SEED, stay=(0, 0.5), patience=limit(1)))

    all_become(api, healers, ("b1", "b2"), well=False, acts=False)
    wait_until(lambda: pool_of(api)["fail_open"], limit(0.1), "the pool to fail open")
    assert pool_of(api)["healthy"] == 0 and api.metrics()[GAUGE] == 1
    clients = [stage.connect(target) for _ in range(CLIENTS)]
    assert all(echoes(client) for client in clients)
    all_become(api, healers, ("b1", "b2"), well=True)
    wait_until(lambda: not pool_of(api)["fail_open"], limit(0.1), "the pool to close again")
    assert api.metrics()[GAUGE] == 0

    visits = crowd.finish(limit(5))
    assert len(visits) >= CLIENTS and {visit.end for visit in visits} == {"served"}
    assert all(echoes(client) for client in staying + clients)
    for what in ("fails open", "no longer fails open"):
        said = [line for line in target.stderr if f"pool default: {what}" in line]
        assert len(said) == 1, said
    stage.close_clients()
    target.expect_reasons(client_fin=len(visits) + 2 * CLIENTS)
    target.quiet(rest=False)


@only_l4lb
def test_K08_default(stage, way):
    healers, port = doctors(stage, 2)
    backends = [stage.backend(Echo(host=healer.host)) for healer in healers]
    target, api = begin(stage, way, backends, healers, port)
    staying = [stage.connect(target) for _ in range(CLIENTS)]
    all_become(api, healers, ("b1", "b2"), well=False)
    for _ in range(CLIENTS):
        assert refused(target.address, limit(0.1))
    assert not pool_of(api)["fail_open"]
    assert all(echoes(client) for client in staying)
    all_become(api, healers, ("b1", "b2"), well=True)
    assert echoes(stage.connect(target))
    stage.close_clients()
    target.expect_reasons(no_backend=CLIENTS, client_fin=CLIENTS + 1)
    target.quiet(rest=False)


@only_l4lb
def test_K08_backups_first(stage, way):
    healers, port = doctors(stage, 3)
    backends = [stage.backend(Ident(name=name, host=healer.host))
                for name, healer in zip(("one", "two", "backup"), healers)]
    target, api = begin(stage, way, backends, healers, port, fail_open={"below": 0.5},
                        backups=[False, False, True])
    assert {visit(target) for _ in range(CLIENTS)} == {"one", "two"}
    all_become(api, healers[:1], ("one",), well=False)
    assert {visit(target) for _ in range(CLIENTS)} == {"two"}
    all_become(api, healers[1:2], ("two",), well=False)
    assert {visit(target) for _ in range(CLIENTS)} == {"backup"}
    assert not pool_of(api)["fail_open"]
    all_become(api, healers[2:], ("backup",), well=False, acts=False)
    wait_until(lambda: pool_of(api)["fail_open"], limit(0.1), "the pool to fail open")
    assert {visit(target) for _ in range(CLIENTS)} == {"one", "two", "backup"}
    all_become(api, healers[:2], ("one", "two"), well=True)
    assert {visit(target) for _ in range(CLIENTS)} == {"one", "two"}
    target.expect_reasons(client_fin=5 * CLIENTS)
    target.quiet()
