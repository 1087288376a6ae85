# SPDX-License-Identifier: Apache-2.0
"""L03: what is removed takes nobody any more, and lets its sessions go on for a while only.

10 long connections; the backend is removed by a reload or the API, or the listener by a reload, all
with a drain of 5 s (in CI 2 s).  Expected: no new ones at once; the old ones closed at 5 to 6 s
with the reason `drained`; until then the API lists them, and the thing itself as removed.  One that
is back before that keeps its sessions.
"""

import time

from kit import Entry, Ident, limit, only_l4lb, scaled, wait_until
from kit.api import Api, rewrite
from kit.configuration import service
from kit.ends import await_close, echoes, name_of, open_named, reasons_of, visit

import pytest

DRAIN = scaled(2, 5)
SESSIONS = 10


def begin(stage, way):
    """b0 has 10 sessions of the listener `default`; b1 and the listener `other` none."""
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(2)]
    options = {"on_remove": {"drain": f"{DRAIN}s"}, "policy": "least_connections"}
    listeners, pools = zip(service("default", backends, **options),
                           service("other", backends, **options))
    target = stage.target(way, [], listeners=list(listeners), pools=list(pools),
                          drain_timeout=f"{DRAIN}s")
    clients = open_named(stage, target, 2 * SESSIONS)
    for client in clients["b1"]:
        client.close()
    assert len(clients["b0"]) == SESSIONS
    wait_until(lambda: target.listener()["active"] == SESSIONS, limit(2), "the end of b1's")
    return target, Api(target), clients["b0"]


def remove_backend(target, api, how):
    if how == "api":
        return api.delete("/v1/pools/default/backends/b0")
    del target.config["pools"][0]["backends"][0]
    rewrite(target)
    return api.reload()


def expect_cut(target, clients, begun):
    for client in clients:
        assert echoes(client)
    for client in clients:
        await_close(client, within=limit(DRAIN + 1))
    assert DRAIN - 0.05 <= time.monotonic() - begun <= DRAIN + limit(1)
    assert reasons_of(target, clients) == ["drained"] * SESSIONS


@pytest.mark.parametrize("how", ["api", "reload"])
@only_l4lb
def test_L03_backend(stage, way, how):
    target, api, clients = begin(stage, way)
    remove_backend(target, api, how)
    begun = time.monotonic()
    assert {visit(target) for _ in range(20)} == {"b1"}
    listed = api.backends()["b0"]
    assert listed["removed"] and listed["active"] == SESSIONS
    assert 0 < listed["drain_left_ms"] <= DRAIN * 1000
    assert api.sessions(backend="b0")["matching"] == SESSIONS
    assert api.metrics()['l4lb_backend_active_sessions{pool="default",backend="b0"}'] == SESSIONS
    expect_cut(target, clients, begun)
    wait_until(lambda: "b0" not in api.backends(), limit(2), "the removed backend to be forgotten")
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_L03_backend_comes_back(stage, way):
    target, api, clients = begin(stage, way)
    removed = target.config["pools"][0]["backends"][0]
    remove_backend(target, api, "reload")
    target.config["pools"][0]["backends"].insert(0, removed)
    rewrite(target)
    api.reload()
    listed = api.backends()["b0"]
    assert not listed["removed"] and listed["active"] == SESSIONS
    assert listed["drain_left_ms"] == -1
    assert listed["sessions"] == SESSIONS, "its counters go on"
    time.sleep(DRAIN + 0.5)
    assert all(echoes(client) for client in clients)
    late = open_named(stage, target, SESSIONS + 10)
    assert all(echoes(client) for socks in late.values() for client in socks)
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_L03_listener(stage, way):
    target, api, clients = begin(stage, way)
    address, other = target.address, Entry(target.addresses[1])
    removed, target.config["listeners"] = (target.config["listeners"][0],
                                           target.config["listeners"][1:])
    rewrite(target)
    api.reload()
    begun = time.monotonic()
    with pytest.raises(ConnectionRefusedError):
        stage.connect(Entry(address))
    assert visit(other) in ("b0", "b1")
    listed = api.get("/v1/listeners/default")
    assert listed["removed"] and listed["active"] == SESSIONS
    assert 0 < listed["drain_left_ms"] <= DRAIN * 1000
    assert api.sessions(listener="default")["matching"] == SESSIONS
    expect_cut(target, clients, begun)
    wait_until(lambda: api.ask("GET", "/v1/listeners/default").status == 404, limit(2),
               "the removed listener to be forgotten")
    target.config["listeners"].append({**removed, "bind": ["%s:%d" % address]})
    rewrite(target)
    api.reload()
    assert name_of(stage.connect(Entry(address))) in ("b0", "b1")
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_L03_listener_of_another_pool_first(stage, way):
    """Sessions from before the listener led to another pool are part of it, too."""
    target, api, clients = begin(stage, way)
    first, other = target.config["listeners"]
    first["pool"] = "other"
    rewrite(target)
    api.reload()
    late = open_named(stage, target, 2)
    assert all(echoes(client) for client in clients)
    target.config["listeners"] = [other]
    rewrite(target)
    api.reload()
    begun = time.monotonic()
    for client in [*clients, *(sock for socks in late.values() for sock in socks)]:
        await_close(client, within=limit(DRAIN + 1))
    assert time.monotonic() - begun >= DRAIN - 0.05
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_L03_service_comes_back(stage, way):
    """A pool that was removed, and still has sessions, serves again when it is back."""
    target, api, clients = begin(stage, way)
    listeners, pools = target.config["listeners"], target.config["pools"]
    listeners[0]["bind"] = ["%s:%d" % target.address]
    gone = listeners.pop(0), pools.pop(0)
    rewrite(target)
    api.reload()
    assert api.get("/v1/pools/default")["active"] == SESSIONS
    listeners.append(gone[0])
    pools.append(gone[1])
    rewrite(target)
    api.reload()
    assert name_of(stage.connect(Entry(target.address))) == "b1"
    assert api.backends()["b0"]["active"] == SESSIONS
    assert all(echoes(client) for client in clients)
    stage.close_clients()
    target.quiet()
