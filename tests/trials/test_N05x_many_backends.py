# SPDX-License-Identifier: Apache-2.0
"""N05x: 10,000 backends in one pool can be looked at and changed.

Expected: /v1/status within 200 ms, /metrics within 500 ms, a backend's weight changed and the pool
reloaded with one backend more and one less within 2 s (in CI five times that), while clients are
served; the metrics have a series of each backend.
"""

import time

from kit import Echo, limit, only_l4lb
from kit.api import Api, rewrite
from kit.configuration import endpoint
from kit.ends import echoes

BACKENDS = 10_000


def entries(echo):
    """All at the same address."""
    return [{"name": f"b{i}", "address": endpoint(echo)} for i in range(BACKENDS)]


def within(seconds, work):
    begin = time.monotonic()
    value = work()
    took = time.monotonic() - begin
    print(f"{work.__name__}: {took * 1000:.0f} ms")
    assert took <= limit(seconds), took
    return value


@only_l4lb
def test_N05x_many_backends(stage, way):
    echo = stage.backend(Echo())
    pool = {"name": "default", "policy": "least_connections", "backends": entries(echo)}
    target = stage.target(way, [], pools=[pool])
    api, client = Api(target), stage.connect(target)

    def status():
        return api.get("/v1/status")

    def metrics():
        return api.ask("GET", "/metrics").body

    def change():
        return api.patch("/v1/pools/default/backends/b77", {"weight": 9})

    def reload():
        return api.reload()

    for _ in range(3):
        assert within(0.2, status)["pools"][0]["backend_count"] == BACKENDS
        text = within(0.5, metrics)
    assert text.count(b"\nl4lb_backend_sessions_total{") == BACKENDS
    assert within(2, change)["weight"] == 9
    pool["backends"][5] = {**pool["backends"][5], "name": "other"}
    rewrite(target)
    assert within(2, reload)["changes"] == ["pool default: backend other added",
                                            "pool default: backend b5 removed"]
    assert echoes(client) and echoes(stage.connect(target))
    stage.close_clients()
    target.quiet()
