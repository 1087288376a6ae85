# SPDX-License-Identifier: Apache-2.0
"""L08: all sessions of one backend are closed on request, and no other.

50 connections on each of b0 and b1, every fifth in the middle of a transfer that nobody reads; the
API closes those of b0.  Expected: its 50 are closed within 1 s at both ends, with the reason
`admin_closed`; b1's 50 go on; the gauges are right.  Then one session of b1 by its id, and b1 taken
down: its sessions end with `backend_down`, and nobody gets there.
"""

from kit import Ident, limit, only_l4lb, send_until_blocked, wait_until
from kit.api import Api
from kit.ends import await_close, echoes, open_named, reasons_of, visit

SESSIONS = 50
MOST = 4 << 20


def in_transfer(client):
    send_until_blocked(client, seed=1, still=0.05, most=MOST)


@only_l4lb
def test_L08_close_sessions(stage, way):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(2)]
    target = stage.target(way, backends)
    api, clients = Api(target), open_named(stage, target, 2 * SESSIONS)
    assert len(clients["b0"]) == SESSIONS
    for name in clients:
        for client in clients[name][::5]:
            in_transfer(client)

    path = "/v1/pools/default/backends/b0/close"
    assert api.post(path) == {"closing": SESSIONS}
    for client in clients["b0"]:
        await_close(client, within=limit(1))
    wait_until(lambda: len(backends[0].results) == SESSIONS, limit(1), "the far ends of b0")
    assert reasons_of(target, clients["b0"]) == ["admin_closed"] * SESSIONS
    assert api.backends()["b0"]["active"] == 0
    assert api.backends()["b1"]["active"] == SESSIONS
    assert api.get("/v1/listeners/default")["active"] == SESSIONS
    quiet = [client for i, client in enumerate(clients["b1"]) if i % 5]
    assert all(echoes(client) for client in quiet)
    assert len(backends[1].results) == 0
    assert api.post(path) == {"closing": 0}

    name = "%s:%d" % quiet[0].getsockname()
    one, = [s for s in api.sessions(backend="b1")["sessions"] if s["client"] == name]
    api.delete(f"/v1/sessions/{one['id']}")
    await_close(quiet[0], within=limit(1))
    assert reasons_of(target, quiet[:1]) == ["admin_closed"]
    assert api.ask("DELETE", f"/v1/sessions/{one['id']}").status == 404
    assert all(echoes(client) for client in quiet[1:])

    api.patch("/v1/pools/default/backends/b1", {"state": "down"})
    for client in quiet[1:]:
        await_close(client, within=limit(1))
    assert set(reasons_of(target, quiet[1:])) == {"backend_down"}
    assert {visit(target) for _ in range(20)} == {"b0"}
    stage.close_clients()
    target.quiet()
