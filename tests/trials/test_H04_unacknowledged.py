# SPDX-License-Identifier: Apache-2.0
"""H04: a peer that vanishes while bytes are on their way to it is not waited for a quarter of an
hour.

In a network namespace with nftables; `dead_after` 10 s (in CI 2 s), which plays the part of a user
time-out; no keepalive that could help.  A session is up and the client sends a byte a second; then
all that goes to the backend is dropped.  Likewise the other way round: the backend sends, and what
goes to the client is dropped.  Expected: the end that is left is closed within 1.3 times
`dead_after` from the first byte that was not acknowledged, and not before `dead_after`; the close
reason names who was lost.
"""

import shutil
import subprocess
import time

from kit import Echo, Script, limit, only_l4lb, receive, scaled
from kit.ends import await_close, echoes
from kit.namespace import in_namespace

import pytest

DEAD_AFTER = scaled(2, 10)
CLOCK = 0.02  # The daemon reads its clock once a turn.
RULES = ("add table inet trial",
         "add chain inet trial in { type filter hook input priority 0; }",
         "add rule inet trial in tcp {port} drop")


def drop(port):
    """From now on drops what comes to, or from, that port: "dport 9001"."""
    for rule in RULES:
        done = subprocess.run(["nft", rule.replace("{port}", port)], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"no nftables: {done.stderr.strip()}")


def speak_on(sock, _index):
    """A backend that answers one byte, then sends a byte a second; result: how it ended."""
    sock.sendall(sock.recv(1))
    for _ in range(int(limit(4 * DEAD_AFTER))):
        arrival = receive(sock, within=1)
        if arrival.end != "open":
            return arrival.end, time.monotonic()
        sock.send(b"x")
    return "open", time.monotonic()


def begin(stage, way, backend):
    if not shutil.which("nft"):
        pytest.skip("no nftables")
    backend = stage.backend(backend)
    target = stage.target(way, [backend], dead_after=f"{DEAD_AFTER}s", bind=["127.0.0.1:7000"],
                          keepalive={"idle": "1h", "interval": "1h", "count": 9})
    client = stage.connect(target)
    alive_at = time.monotonic()  # Both ends acknowledge something after this.
    assert echoes(client)
    return target, client, alive_at


@only_l4lb
@in_namespace
def test_H04_backend_vanishes(stage, way):
    target, client, alive_at = begin(stage, way, Echo(port=9001))
    drop("dport 9001")
    begun = time.monotonic()
    while True:
        client.send(b"x")
        try:
            await_close(client, within=1)
            break
        except (AssertionError, OSError):
            assert time.monotonic() - begun <= limit(1.3 * DEAD_AFTER), "it is still open"
    ended = time.monotonic()
    assert alive_at + DEAD_AFTER - CLOCK <= ended <= begun + limit(1.3 * DEAD_AFTER)
    target.expect_reasons(backend_lost=1)
    stage.close_clients()
    target.quiet()


@only_l4lb
@in_namespace
def test_H04_client_vanishes(stage, way):
    backend = Script(speak_on, port=9001)
    target, client, alive_at = begin(stage, way, backend)
    drop("sport 7000")
    begun = time.monotonic()
    deadline = begun + limit(1.3 * DEAD_AFTER)
    while not backend.results and time.monotonic() < deadline:
        time.sleep(0.05)
    assert backend.results, "the backend's side is still open"
    end, ended = backend.results[0]
    assert end in ("fin", "reset")
    assert alive_at + DEAD_AFTER - CLOCK <= ended <= begun + limit(1.3 * DEAD_AFTER)
    target.expect_reasons(client_lost=1)
    client.close()
    target.quiet()
