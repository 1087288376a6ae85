# SPDX-License-Identifier: Apache-2.0
"""L03x: UNIX listeners come and go by a reload.

One is added: clients are served through it by all workers.  It gets another path: the old file
goes, the new one serves, and sessions from before go on.  It is removed: the file goes, its
sessions end with the drain.  Expected besides: a file that somebody else put in the place of ours
is not removed, and one that is in use by somebody else makes the reload fail without any change.
"""

import os
import socket

from kit import Entry, Ident, limit, only_l4lb
from kit.api import Api, rewrite
from kit.ends import await_close, echoes, name_of

import pytest

SESSIONS = 8


def begin(stage, way):
    backend = stage.backend(Ident(name="b0"))
    target = stage.target(way, [backend], drain_timeout="500ms")
    return target, Api(target)


def with_socket(target, path):
    """The configuration with a second listener there."""
    listeners = target.config["listeners"][:1]
    if path:
        listeners = [*listeners, {"name": "local", "bind": [f"unix:{path}"], "pool": "default"}]
    return {**target.config, "listeners": listeners}


def hold(stage, path):
    clients = [stage.connect(Entry(str(path))) for _ in range(SESSIONS)]
    assert {name_of(client) for client in clients} == {"b0"}
    return clients


@only_l4lb
def test_L03x_come_and_go(stage, way, tmp_path):
    target, api = begin(stage, way)
    first, second = tmp_path / "first", tmp_path / "second"
    rewrite(target, with_socket(target, first))
    assert api.reload()["changes"] == ["listener local added"]
    clients = hold(stage, first)
    assert len({s["worker"] for s in api.sessions(listener="local")["sessions"]}) > 1

    rewrite(target, with_socket(target, second))
    assert api.reload()["changed"]
    assert not first.exists()
    later = hold(stage, second)
    assert all(echoes(client) for client in clients)

    rewrite(target, with_socket(target, None))
    assert api.reload()["changes"] == ["listener local removed"]
    assert not second.exists()
    assert all(echoes(client) for client in later)
    for client in clients + later:
        await_close(client, within=limit(1.5))
    reasons = api.get("/v1/listeners/default")["sums"]["closed_by_reason"]
    assert not any(reasons.values()), "they are not of that listener"

    rewrite(target, with_socket(target, first))
    api.reload()
    hold(stage, first)
    stage.close_clients()
    target.reset_baseline()
    target.quiet()


@only_l4lb
def test_L03x_not_ours(stage, way, tmp_path):
    target, api = begin(stage, way)
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        rewrite(target, with_socket(target, path))
        answer = api.ask("POST", "/v1/reload")
        assert answer.status == 409 and str(path) in answer.json["error"]["what"], answer
        assert path.exists()
        assert api.ask("GET", "/v1/listeners/local").status == 404
    api.reload()  # Nobody listens there any more.
    hold(stage, path)
    stage.close_clients()

    os.unlink(path)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        rewrite(target, with_socket(target, None))
        api.reload()
        assert path.exists(), "the file is not ours"
    with pytest.raises(ConnectionRefusedError):
        stage.connect(Entry(str(path)))
    target.quiet()
