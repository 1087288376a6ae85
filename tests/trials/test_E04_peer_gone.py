# SPDX-License-Identifier: Apache-2.0
"""E04: one peer is gone and the other silent; the hang-up event cannot be masked and must not
spin.

(a) An idle connection: the client is stopped, the backend killed.  (b) The backend sends without
end, the client has paused until nothing moves any more; the client resets.  (c) As (b), but the
backend resets.  Expected: no busy loop in any; in (b) and (c) the other side is closed within 1 s.
"""

import signal
import threading
import time

from kit import Echo, Forked, Script, Source, connect, each_way, limit, linger0, receive
from kit import send_until_blocked, wait_until
from kit.ends import await_close, echoes

ENDLESS = 1 << 40


def hold(address):
    """A client in a process of its own: one echo, then silence until it is ended."""
    sock = connect(address)
    assert echoes(sock)
    time.sleep(600)


@each_way
def test_E04_a_idle_and_stopped(stage, way):
    backend = stage.backend(Echo(forked=True))
    target = stage.target(way, [backend], half_close_timeout="1h")
    client = Forked(hold, target.address)
    stage.keep(client, client.kill)
    wait_until(lambda: backend.accepted == 1, limit(2), "the connection")
    time.sleep(0.2)
    client.signal(signal.SIGSTOP)
    backend.kill()
    time.sleep(0.1)
    target.check_rest()
    client.signal(signal.SIGCONT)
    client.kill()
    target.quiet()


def still(backend):
    """Whether the backend could send nothing for a while."""
    before = backend.sent
    time.sleep(0.3)
    return before and backend.sent == before


@each_way
def test_E04_b_paused_client_resets(stage, way):
    backend = stage.backend(Source(ENDLESS, seed=4))
    target = stage.target(way, [backend])
    client = stage.connect(target, rcvbuf=65536)
    wait_until(lambda: still(backend), limit(5), "back pressure")
    target.check_rest()
    linger0(client)
    wait_until(lambda: backend.results, limit(1), "the end at the backend")
    assert backend.results == ["ECONNRESET"]
    target.expect_reasons(client_reset=1)
    target.quiet()


@each_way
def test_E04_c_backend_resets(stage, way):
    blocked, go = threading.Event(), threading.Event()

    def fill_and_reset(sock, _index):
        send_until_blocked(sock, seed=4, still=0.3, most=1 << 30)
        blocked.set()
        go.wait(limit(20))
        linger0(sock)

    target = stage.target(way, [stage.backend(Script(fill_and_reset))])
    client = stage.connect(target, rcvbuf=65536)
    assert blocked.wait(limit(5))
    target.check_rest()
    go.set()
    await_close(client, within=limit(1))
    arrival = receive(client, within=limit(2), seed=4)
    assert arrival.end == "reset"
    target.expect_reasons(backend_reset=1)
    target.quiet()
