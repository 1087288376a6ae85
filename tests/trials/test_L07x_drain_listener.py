# SPDX-License-Identifier: Apache-2.0
"""L07x: a listener is drained, and opened again.

A listener on a TCP port, or on a UNIX socket, with 10 long connections; drain of 1 s.  Expected:
new connections are refused at once (the socket's file goes), the old ones echo, and the API counts
down.  Opened again before the deadline, on the same address: new ones are served and the old ones
go on beyond it.  Drained again, also after a reload, which leaves it drained: both the older and
the newer sessions end at the deadline with the reason `drained`, and its counters went on all
along.
"""

import time

from kit import Entry, Ident, limit, only_l4lb, wait_until
from kit.api import Api, rewrite
from kit.configuration import service
from kit.ends import await_close, echoes, name_of
from kit.programs import free_port

import pytest

DRAIN, OLD, NEW = 1, 10, 5


def begin(stage, way, family, tmp_path):
    backend = stage.backend(Ident(name="b0"))
    bind = f"unix:{tmp_path}/socket" if family == "unix" else f"127.0.0.1:{free_port()}"
    listeners, pools = zip(service("default", [backend], listener={"bind": [bind]}),
                           service("other", [backend]))
    target = stage.target(way, [], listeners=list(listeners), pools=list(pools),
                          drain_timeout=f"{DRAIN}s")
    return target, Api(target)


def hold(stage, target, count):
    clients = [stage.connect(target) for _ in range(count)]
    assert {name_of(client) for client in clients} == {"b0"}
    return clients


def expect_closed(stage, target):
    error = FileNotFoundError if isinstance(target.address, str) else ConnectionRefusedError
    with pytest.raises(error):
        stage.connect(target)


@pytest.mark.parametrize("family", ["tcp", "unix"])
@only_l4lb
def test_L07x_drain_listener(stage, way, family, tmp_path):
    target, api = begin(stage, way, family, tmp_path)
    old, path = hold(stage, target, OLD), "/v1/listeners/default"

    drained = api.post(path + "/drain")
    expect_closed(stage, target)
    assert drained["draining"] and drained["active"] == OLD
    assert 0 < drained["drain_left_ms"] <= DRAIN * 1000
    assert all(echoes(client) for client in old)
    assert name_of(stage.connect(Entry(target.addresses[1]))) == "b0"

    opened = api.post(path + "/undrain")
    assert not opened["draining"] and opened["drain_left_ms"] == -1
    new = hold(stage, target, NEW)
    time.sleep(DRAIN + 0.2)
    assert all(echoes(client) for client in old + new)

    begun = time.monotonic()
    api.post(path + "/drain")
    target.config["listeners"][0]["idle_timeout"] = "17m"
    rewrite(target)
    assert api.reload()["changed"]
    expect_closed(stage, target)
    for client in old + new:
        await_close(client, within=limit(DRAIN + 1))
    assert time.monotonic() - begun >= DRAIN - 0.05
    wait_until(lambda: api.get(path)["active"] == 0, limit(2), "the sessions' end")
    sums = api.get(path)["sums"]
    assert sums["accepted"] == OLD + NEW
    assert sums["closed_by_reason"]["drained"] == OLD + NEW

    api.post(path + "/undrain")
    assert echoes(hold(stage, target, 1)[0])
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_L07x_address_taken_meanwhile(stage, way, tmp_path):
    """Another has its port now: opening it again fails, and may be tried again."""
    target, api = begin(stage, way, "tcp", tmp_path)
    api.post("/v1/listeners/default/drain")
    thief = stage.backend(Ident(name="thief", port=target.address[1]))
    answer = api.ask("POST", "/v1/listeners/default/undrain")
    assert answer.status == 409 and "in use" in answer.json["error"]["what"], answer
    assert api.get("/v1/listeners/default")["draining"]
    thief.close_listener()
    api.post("/v1/listeners/default/undrain")
    hold(stage, target, 1)
    stage.close_clients()
    target.quiet()
