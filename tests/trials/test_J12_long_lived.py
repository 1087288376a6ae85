# SPDX-License-Identifier: Apache-2.0
"""J12: long-lived connections after the restart of a backend (gRPC, MQTT, API servers).

Four nghttpd; h2load with 8 connections of 50 streams each.  Expected: 2 connections at each, in
turn and by least_connections.

Then 40 long connections over four backends; b1 is killed and started again, and its 10 clients
connect anew at once.  Expected: they sit on the other three, 13, 13 and 14, and b1 stays empty;
then least_connections sends the next 13 new ones all to b1, and round_robin a quarter of them.

With max_connection_age 10 s (in CI 2 s), half of it more or less: all four have 10 +- 3 after three
times that long, and no tenth of the age sees more than 30 % of the closes; the clients are asked to
go by a FIN, with the reason `max_age`.
"""

import collections
import signal

from kit import Ident, limit, only_l4lb, receive, scaled, wait_until
from kit.api import Api
from kit.crowd import Crowd
from kit.ends import echoes, name_of, open_named
from kit.programs import Server, free_port, run

import pytest

SESSIONS, BACKENDS = 40, 4
REQUESTS = scaled(4000, 40_000)
AGE_S = scaled(2, 10)


@pytest.mark.parametrize("policy", ["round_robin", "least_connections"])
@only_l4lb
def test_J12_http2(stage, way, policy, tmp_path):
    (tmp_path / "x").write_bytes(b"x" * 100)
    backends = []
    for i in range(BACKENDS):
        port = free_port()
        command = ["nghttpd", "--no-tls", "--address=127.0.0.1", f"--htdocs={tmp_path}", str(port)]
        backends.append(stage.backend(
            Server(command, port, name=f"h{i}", stop_signal=signal.SIGKILL)))
    target = stage.target(way, backends, policy=policy, workers=1)
    host, port = target.address
    output = run(["h2load", "-c8", "-m50", f"-n{REQUESTS}", f"http://{host}:{port}/x"], within=30)
    assert f"{REQUESTS} succeeded, 0 failed, 0 errored" in output, output
    assert [b["sessions"] for b in Api(target).backends().values()] == [2] * BACKENDS
    target.quiet()


def start_four(stage):
    """On ports that can be listened on again at once, since they were given to them."""
    return [stage.backend(Ident(name=f"b{i}", port=free_port(), forked=True))
            for i in range(BACKENDS)]


def restart(stage, backend):
    """Kills it and starts it on the same port; its connections are gone."""
    backend.kill()
    return stage.backend(Ident(name=backend.name, port=backend.port, forked=True))


@pytest.mark.parametrize("policy", ["round_robin", "least_connections"])
@only_l4lb
def test_J12_restart(stage, way, policy):
    backends = start_four(stage)
    target = stage.target(way, backends, policy=policy, workers=1)
    crowd = Crowd(stage, target, SESSIONS)
    assert set(crowd.counts().values()) == {10}
    backends[1].kill()
    crowd.watch(limit(2), until=lambda: len(crowd.closed) == 10)
    assert sorted(crowd.counts().values()) == [13, 13, 14] and "b1" not in crowd.counts()
    restart(stage, backends[1])
    crowd.watch(1.5)  # For a second who refused comes after all others.
    assert len(crowd.closed) == 10 and "b1" not in crowd.counts(), "nobody moves by himself"
    new = {name: len(socks) for name, socks in open_named(stage, target, 13).items()}
    if policy == "least_connections":
        assert new == {"b1": 13}
    else:
        assert 3 <= new["b1"] <= 4, new
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_J12_age(stage, way):
    backends = start_four(stage)
    target = stage.target(
        way, backends, policy="least_connections",
        max_connection_age={"age": f"{AGE_S}s", "jitter": "50%", "quiet": "20ms", "grace": "5s"})
    crowd = Crowd(stage, target, SESSIONS)
    backends[1].kill()
    crowd.watch(limit(2), until=lambda: len(crowd.closed) >= 10 and "b1" not in crowd.counts())
    restart(stage, backends[1])
    crowd.closed.clear()
    crowd.watch(3 * AGE_S)
    counts = crowd.counts()
    assert all(7 <= counts[backend.name] <= 13 for backend in backends), counts
    tenths = collections.Counter(int(when / AGE_S * 10) for when, _ in crowd.closed)
    assert len(crowd.closed) >= SESSIONS
    assert max(tenths.values()) <= 0.3 * len(crowd.closed), tenths
    reasons = {line["reason"] for line in target.access_log()}
    assert "max_age" in reasons and reasons <= {"max_age", "backend_fin", "backend_reset"}, reasons
    stage.close_clients()
    target.quiet()


@only_l4lb
def test_J12_age_waits_for_the_answer(stage, way):
    """A session whose last byte came from the client is busy: it goes on until `grace` is over."""
    backend = stage.backend(Ident(name="b0"))
    target = stage.target(way, [backend], max_connection_age={
        "age": "300ms", "jitter": "0%", "quiet": "20ms", "grace": "1h"})
    client = stage.connect(target)
    name_of(client)
    busy = wait_until(lambda: echoes(client, b"x" * 100) or "closed", limit(2), "a first echo")
    assert busy is True
    assert receive(client, limit(2)).end == "fin"
    line, = target.access_log(1)
    assert line["reason"] == "max_age"
