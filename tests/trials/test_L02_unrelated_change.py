# SPDX-License-Identifier: Apache-2.0
"""L02: a change of one service leaves the sessions of another alone.

Services a and c; 20 long connections on a; only the backends of c are changed, by a reload and then
by the API: added, removed, another weight, drained.  Expected: all 20 still echo 5 s (in CI 1 s)
later, over the same sockets, and nothing of them was closed.
"""

import time

from kit import Echo, Entry, only_l4lb, scaled
from kit.api import Api, rewrite
from kit.configuration import members, service
from kit.ends import echoes

SESSIONS = 20


@only_l4lb
def test_L02_unrelated_change(stage, way):
    echo = stage.backend(Echo(name="a1"))
    others = [stage.backend(Echo(name=f"c{i}")) for i in range(3)]
    listeners, pools = zip(service("a", [echo]), service("c", others[:2], on_remove="close"))
    target = stage.target(way, [], listeners=list(listeners), pools=list(pools))
    api, other = Api(target), Entry(target.addresses[1])
    clients = [stage.connect(target) for _ in range(SESSIONS)]
    assert all(echoes(client) for client in clients)
    cut = [stage.connect(other) for _ in range(2)]
    assert all(echoes(client) for client in cut)

    pools[1]["backends"] = members(others[1:], weights=[2, 5])
    pools[1]["policy"] = "least_connections"
    rewrite(target)
    assert api.reload()["changed"]
    api.add(others[0], pool="c")
    api.patch("/v1/pools/c/backends/c1", {"weight": 0, "max_connections": 3})
    api.post("/v1/pools/c/backends/c2/drain")
    api.delete("/v1/pools/c/backends/c2")

    time.sleep(scaled(1, 5))
    assert all(echoes(client) for client in clients)
    listener = target.listener("a")
    assert (listener["accepted"], listener["closed"]) == (SESSIONS, 0)
    assert echo.accepted == SESSIONS
    assert echoes(stage.connect(other))
    stage.close_clients()
    target.quiet()
