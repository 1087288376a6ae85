# SPDX-License-Identifier: Apache-2.0
"""N10: the access log is right about sessions that have ended.

Sessions of known size, duration and end: orderly, client reset, backend reset, idle time-out,
connect failure, connect time-out, no backend at all.  Expected for each: client address and port,
listener, pool, backend, bytes each way, duration (a clock of the trial, +- 20 ms or what the
machine's load makes of it), and a close reason and phase that tell the ends apart.
"""

import socket
import time

from kit import Blackhole, Refuse, Script, limit, linger0, receive, receive_exactly, send
from kit.ends import await_close
from kit.stage import ENGINES

import pytest

REQUEST, ANSWER = b"q" * 100, b"a" * 3000
STAY = 0.3  # Seconds that a session stays open after its exchange.
SLACK = limit(0.02) + 0.05


def exchange_then(end):
    """A backend's serve(): one request, one answer, then `end(sock)`."""
    def serve(sock, _index):
        receive_exactly(sock, len(REQUEST), limit(5))
        sock.sendall(ANSWER)
        end(sock)
    return serve


def until_the_end(sock):
    receive(sock, within=limit(10))


def reset_later(sock):
    time.sleep(STAY)
    linger0(sock)


class Case:
    """One listener with a pool of its own, and what the log must say about its one session."""

    def __init__(self, name, backend, reason, phase="data", **pool):
        self.name, self.backend, self.reason, self.phase = name, backend, reason, phase
        self.weight, self.pool = pool.pop("weight", 1), pool
        self.client, self.took = None, None

    @property
    def exchanges(self):
        return self.phase == "data"


def cases(stage):
    orderly = stage.backend(Script(exchange_then(until_the_end)))
    resetting = stage.backend(Script(exchange_then(reset_later)))
    return [
        Case("orderly", orderly, "client_fin"),
        Case("client-reset", orderly, "client_reset"),
        Case("backend-reset", resetting, "backend_reset"),
        Case("idle", orderly, "idle_timeout"),
        Case("refused", stage.backend(Refuse()), "connect_failed", "connect"),
        Case("late", stage.backend(Blackhole()), "connect_timeout", "connect",
             connect_timeout="500ms"),
        Case("nobody", orderly, "no_backend", "connect", weight=0),
    ]


def start(stage, way, table):
    listeners = [{"name": f"{case.name}-in", "bind": ["127.0.0.1:0"], "pool": f"{case.name}-pool",
                  "idle_timeout": "700ms" if case.name == "idle" else "1h"} for case in table]
    pools = [{"name": f"{case.name}-pool", **case.pool, "backends": [
        {"name": f"{case.name}-backend", "weight": case.weight,
         "address": f"{case.backend.host}:{case.backend.port}"}]} for case in table]
    return stage.target(way, [], listeners=listeners, pools=pools)


def live_through(case, client, address):
    """The client's side of the case, from the connect to the end."""
    client.bind(("127.0.0.1", 0))
    case.client = "%s:%d" % client.getsockname()
    try:
        client.connect(address)
    except ConnectionResetError:
        # The balancer was faster than connect() in this process.
        assert not case.exchanges
        return
    if case.exchanges:
        send(client, REQUEST, within=limit(1))
        assert receive_exactly(client, len(ANSWER), limit(1)) == ANSWER
    if case.name in ("orderly", "client-reset"):
        time.sleep(STAY)
        (client.close if case.name == "orderly" else lambda: linger0(client))()
    else:
        await_close(client, within=limit(2))


def check(case, line):
    assert (line["reason"], line["phase"]) == (case.reason, case.phase)
    assert line["client"] == case.client
    assert (line["listener"], line["pool"]) == (f"{case.name}-in", f"{case.name}-pool")
    assert line["policy"] == "least_connections"  # The default.
    backend = None if case.name == "nobody" else case.backend
    assert line["backend"] == (backend and f"{case.name}-backend")
    assert line["backend_address"] == (backend and f"{backend.host}:{backend.port}")
    assert line["attempts"] == (1 if backend else 0)
    sizes = (len(REQUEST), len(ANSWER)) if case.exchanges else (0, 0)
    assert (line["client_bytes"], line["backend_bytes"]) == sizes
    assert abs(line["total_ms"] / 1000 - case.took) <= SLACK, (line, case.took)
    if case.exchanges:
        assert 0 <= line["connect_ms"] <= line["first_byte_ms"] <= line["total_ms"]
    else:
        assert line["connect_ms"] is None and line["first_byte_ms"] is None


@pytest.mark.parametrize("way", ENGINES)
def test_N10_access_log(stage, way):
    table = cases(stage)
    target = start(stage, way, table)
    lines = []
    for case, address in zip(table, target.addresses):
        client = socket.socket()
        begin = time.monotonic()
        live_through(case, client, address)
        case.took = time.monotonic() - begin
        client.close()
        lines = target.access_log(len(lines) + 1)
        check(case, lines[-1])
    assert len(lines) == len(table)
    assert len({line["id"] for line in lines}) == len(lines)
    reasons = {name: {r: n for r, n in listener["closed_by_reason"].items() if n}
               for name, listener in target.stats()["listeners"].items()}
    assert reasons == {f"{case.name}-in": {case.reason: 1} for case in table}
    target.quiet()
