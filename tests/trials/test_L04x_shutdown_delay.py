# SPDX-License-Identifier: Apache-2.0
"""L04x: a stop with shutdown_delay says first that it comes.

5 long connections; SIGTERM or POST /v1/drain with `shutdown_delay: 1s` and a drain of 20 s.
Expected: /readyz answers 503 at once and /healthz 200, new connections still work; after the delay
they are refused, also where a reload would open another port (503); the API tells how long the
drain may last; once the old sessions have ended by themselves, exit status 0.  A second signal
ends it at once, also during the delay.
"""

import signal
import time

from kit import Echo, Entry, connect, limit, only_l4lb, wait_until
from kit.api import Api, rewrite
from kit.ends import echoes
from kit.programs import free_port

import pytest

DELAY, DRAIN = 1, 20


def begin(stage, way):
    target = stage.target(way, [stage.backend(Echo())], shutdown_delay=f"{DELAY}s",
                          drain_timeout=f"{DRAIN}s")
    api, clients = Api(target), [stage.connect(target) for _ in range(5)]
    assert all(echoes(client) for client in clients)
    assert api.ask("GET", "/readyz").status == 200
    return target, api, clients


def refuses(target):
    try:
        connect(target.address).close()
        return False
    except ConnectionRefusedError:
        return True


def expect_no_way_back(target, api):
    """A reload opens no listener any more."""
    port = free_port()
    listeners = target.config["listeners"]
    listeners.append({**listeners[0], "name": "late", "bind": [f"127.0.0.1:{port}"]})
    rewrite(target)
    assert api.ask("POST", "/v1/reload").status == 503
    assert refuses(Entry(("127.0.0.1", port)))


@pytest.mark.parametrize("how", ["signal", "api"])
@only_l4lb
def test_L04x_shutdown_delay(stage, way, how):
    target, api, clients = begin(stage, way)
    begun = time.monotonic()
    if how == "signal":
        target.signal(signal.SIGTERM)
    else:
        assert api.post("/v1/drain") == {"draining": True}
    wait_until(lambda: api.ask("GET", "/readyz").status == 503, limit(0.2), "/readyz to say no")
    late = stage.connect(target)
    served = echoes(late)
    assert time.monotonic() - begun > DELAY or served, "it still accepts"
    assert api.ask("GET", "/healthz").status == 200
    wait_until(lambda: refuses(target), limit(DELAY + 1), "new connections to be refused")
    assert time.monotonic() - begun >= DELAY - 0.05
    status = api.get("/v1/status")
    assert status["draining"] and not status["ready"]
    assert 0 < status["drain_left_ms"] <= DRAIN * 1000
    assert api.metrics()["l4lb_process_draining"] == 1
    assert all(echoes(client) for client in clients)
    expect_no_way_back(target, api)
    stage.close_clients()
    assert target.wait(limit(1)) == 0


@only_l4lb
def test_L04x_second_signal(stage, way):
    target, _, clients = begin(stage, way)
    target.signal(signal.SIGTERM)
    time.sleep(0.1)
    target.signal(signal.SIGTERM)
    assert target.wait(limit(1)) == 0
    assert not any(echoes(client) for client in clients)
