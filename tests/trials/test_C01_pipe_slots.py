# SPDX-License-Identifier: Apache-2.0
"""C01: a pipe that is out of slots is not an empty socket.

One backend process serves two connections with TCP_NODELAY and sends 100-byte pieces alternately
to both, 8 MiB each, then keeps both open. Interleaved like that every piece takes a slot of its
own, so a pipe is full long before its bytes are. Both clients have small receive buffers and do
not read for 2 s (CI: 1 s), then read. Expected: all bytes within 5 s, nothing left in the receive
queues of the balancer, and no work while the clients pause.
"""

import socket
import threading
import time

from kit import Backend, each_way, kernel_sockets, limit, pattern, receive, scaled, together

SIZE = 8 << 20
PIECE = 100


class Interleaver(Backend):
    """Waits for two connections and sends to both from one thread; number n gets pattern(n)."""

    def __init__(self, **options):
        super().__init__(**options)
        self.pair, self.done = [], threading.Event()

    def serve(self, sock, index):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pair.append((sock, pattern(index)))
        if len(self.pair) == 2:
            for offset in range(0, SIZE, PIECE):
                for receiver, stream in self.pair:
                    receiver.sendall(stream.at(offset, min(PIECE, SIZE - offset)))
            self.done.set()
        self.done.wait(60)
        receive(sock, limit(20))


@each_way
def test_C01_pipe_slots(stage, way):
    backend = stage.backend(Interleaver(forked=True))
    target = stage.target(way, [backend])
    clients = []
    for _ in range(2):
        clients.append(stage.connect(target, rcvbuf=4096))
        time.sleep(0.1)  # So that they reach the backend in this order.
    time.sleep(scaled(1, 2))
    target.check_rest()
    arrivals = together(2, 2, lambda n: receive(clients[n], limit(5), count=SIZE, seed=n))
    assert [arrival.count for arrival in arrivals] == [SIZE, SIZE]
    if not target.is_direct:
        assert not [s for s in kernel_sockets(remote_port=backend.port) if s.receive_queue]
    stage.close_clients()
    target.quiet()
