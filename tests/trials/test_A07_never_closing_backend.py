# SPDX-License-Identifier: Apache-2.0
"""A07: clients close, the backend never does.

200 clients connect, send one byte and close; the backend reads, ignores the end and keeps its
sockets open. Such pairs must not stay until the descriptors run out: with half_close_timeout 5 s
(CI: 1 s) no CLOSE_WAIT socket is left on the listener's port 3 s later and the descriptors are
back.
"""

import threading

from kit import Script, each_engine, kernel_sockets, limit, receive, scaled, together, wait_until

CLIENTS = 200


@each_engine
def test_A07_never_closing_backend(stage, way):
    never = threading.Event()
    stage.keep(never, never.set)

    def serve(sock, _index):
        arrival = receive(sock, limit(10))
        never.wait(60)
        return arrival.data, arrival.end

    backend = stage.backend(Script(serve))
    target = stage.target(way, [backend], half_close_timeout=scaled("1s", "5s"))

    def client(_):
        sock = stage.connect(target)
        sock.sendall(b"x")
        sock.close()

    together(CLIENTS, parallel=8, task=client)
    port = target.address[1]
    waiting = lambda: [s for s in kernel_sockets(local_port=port) if s.state == "CLOSE_WAIT"]
    assert waiting()
    wait_until(lambda: not waiting(), limit(scaled(4, 8)), "the end of CLOSE_WAIT")
    target.expect_reasons(half_close_timeout=CLIENTS)
    target.quiet()
    never.set()
    wait_until(lambda: len(backend.results) == CLIENTS, limit(5), "the backend's results")
    assert backend.results == [(b"x", "fin")] * CLIENTS
