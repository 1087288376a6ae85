# SPDX-License-Identifier: Apache-2.0
"""J08x (ours): UNIX sockets as listeners and as backends work like TCP.

Every pair of TCP and UNIX but the plain one (in CI not both UNIX), two workers.  Expected: a server
that speaks first is heard, 64 MiB (in CI 16) each way arrive as sent, also when the client closes
at once, a half-close reaches the backend and its late answer the client; connections to the UNIX
listener come to both workers, its file is gone after the end, and one that a killed daemon left
behind does not hinder the next.  A backend whose backlog is full (UNIX sockets say so by an error,
and no event follows): clients wait until there is room, or for the connect time-out.
"""

import os
import signal
import socket
import tempfile
import time

from kit import (Ident, Script, Sink, Source, limit, only_l4lb, receive, receive_exactly, scaled,
                 send_pattern, together, wait_until)
from kit.ends import echoes, name_of, visit

import pytest

SIZE = scaled(16, 64) << 20
PAIRS = [("tcp", "unix"), ("unix", "tcp")] + scaled([], [("unix", "unix")])
each_pair = pytest.mark.parametrize("listener, backend", PAIRS)


@pytest.fixture
def paths():
    """Makes short paths for sockets: 107 bytes are the most."""
    with tempfile.TemporaryDirectory(prefix="l4lb-") as folder:
        yield lambda name: os.path.join(folder, name)


def pair(stage, way, paths, kinds, backend, **options):
    """A target that listens on the first kind, and `backend(path=...)` on the second."""
    server = stage.backend(backend(path=paths("backend") if kinds[1] == "unix" else None))
    bind = [f"unix:{paths('listener')}" if kinds[0] == "unix" else "127.0.0.1:0"]
    target = stage.target(way, [server], bind=bind, workers=2, **options)
    assert isinstance(target.address, str) == (kinds[0] == "unix")
    return target, server


@each_pair
@only_l4lb
def test_J08x_speaks_first_and_echoes(stage, way, paths, listener, backend):
    target, _ = pair(stage, way, paths, (listener, backend), lambda **o: Ident(name="b", **o))
    clients = [stage.connect(target) for _ in range(20)]
    assert [name_of(client) for client in clients] == ["b"] * 20
    assert all(echoes(client, b"1234567890" * 100) for client in clients)
    assert [w["sessions"] > 0 for w in target.stats()["workers"]] == [True, True]
    stage.close_clients()
    target.expect_reasons(client_fin=20)
    target.quiet()


@each_pair
@only_l4lb
def test_J08x_bulk(stage, way, paths, listener, backend):
    target, _ = pair(stage, way, paths, (listener, backend), lambda **o: Source(SIZE, seed=8, **o))
    arrival = receive(stage.connect(target), limit(10), seed=8)
    assert (arrival.count, arrival.end) == (SIZE, "fin")
    stage.close_clients()
    target.quiet()


@each_pair
@only_l4lb
def test_J08x_half_close(stage, way, paths, listener, backend):
    def count_then_answer(sock, _index):
        arrival = receive(sock, limit(20), seed=9)
        time.sleep(0.3)
        sock.sendall(b"GOT:%d" % arrival.count)
        return arrival.end

    target, server = pair(stage, way, paths, (listener, backend),
                          lambda **o: Script(count_then_answer, **o))
    client = stage.connect(target)
    send_pattern(client, 9, SIZE, limit(10))
    client.shutdown(socket.SHUT_WR)
    arrival = receive(client, limit(10))
    assert (arrival.data, arrival.end) == (b"GOT:%d" % SIZE, "fin")
    assert server.results == ["fin"]
    stage.close_clients()
    target.quiet()


@each_pair
@only_l4lb
def test_J08x_upload_and_close(stage, way, paths, listener, backend):
    """A UNIX socket that its peer has closed shows a hang-up beside the bytes still to be read."""
    target, server = pair(stage, way, paths, (listener, backend), lambda **o: Sink(keyed=True, **o))

    def upload(seed):
        client = stage.connect(target)
        client.sendall(seed.to_bytes(4))
        send_pattern(client, seed, 1 << 20, limit(5))
        client.close()

    together(20, 4, upload)
    wait_until(lambda: len(server.results) == 20, limit(5), "the ends at the backend")
    assert {(arrival.count, arrival.end) for arrival in server.results} == {(1 << 20, "fin")}
    target.expect_reasons(client_fin=20)
    target.quiet()


@only_l4lb
def test_J08x_socket_file(stage, way, paths):
    path = paths("listener")
    backend = stage.backend(Ident(name="b"))
    first = stage.target(way, [backend], bind=[f"unix:{path}"])
    first.kill()
    assert os.path.exists(path)
    second = stage.target(way, [backend], bind=[f"unix:{path}"])
    assert visit(second) == "b"
    second.signal(signal.SIGTERM)
    assert second.wait(limit(2)) == 0
    assert not os.path.exists(path)


class Full:
    """A UNIX backend whose backlog has no room until open()."""

    def __init__(self, path):
        self.path, self.name = path, "full"
        self._listener, self._fillers = socket.socket(socket.AF_UNIX), []

    def start(self):
        self._listener.bind(self.path)
        self._listener.listen(0)
        while True:
            filler = socket.socket(socket.AF_UNIX)
            self._fillers.append(filler)
            filler.setblocking(False)
            try:
                filler.connect(self.path)
            except BlockingIOError:
                return

    def serve(self, clients):
        """Accepts all that come and speaks to as many clients."""
        for _ in self._fillers[:-1]:
            self._listener.accept()[0].close()
        self._listener.settimeout(limit(2))
        for _ in range(clients):
            sock = self._listener.accept()[0]
            self._fillers.append(sock)
            sock.sendall(b"full\n")

    def stop(self):
        for sock in [self._listener, *self._fillers]:
            sock.close()


@only_l4lb
def test_J08x_full_backlog(stage, way, paths):
    full = Full(paths("backend"))
    full.start()
    stage.keep(full, full.stop)
    target = stage.target(way, [full], connect_timeout="20s", workers=2)
    clients = [stage.connect(target) for _ in range(10)]
    wait_until(lambda: target.listener()["active"] == 10, limit(1), "10 sessions that wait")
    target.check_rest(busy=scaled(10 * 100, 10 * 300))  # Each tries again every 10 ms.
    full.serve(10)
    assert together(10, 10, lambda i: name_of(clients[i], limit(2))) == ["full"] * 10
    stage.close_clients()


@only_l4lb
def test_J08x_full_for_too_long(stage, way, paths):
    full = Full(paths("backend"))
    full.start()
    stage.keep(full, full.stop)
    target = stage.target(way, [full], connect_timeout="500ms", retries=0)
    begin = time.monotonic()
    arrival = receive(stage.connect(target), limit(2))
    assert arrival.count == 0 and arrival.end in ("fin", "reset")
    assert 0.48 <= time.monotonic() - begin <= limit(1)
    target.expect_reasons(connect_timeout=1)
    stage.close_clients()
    target.quiet()
