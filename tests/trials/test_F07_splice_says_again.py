# SPDX-License-Identifier: Apache-2.0
"""F07: a splice that says EAGAIN means "later", not "failed".

C04 and D01 (slow and pausing readers) with bulk: 20 clients with small receive buffers download
8 MiB, pause for half a second after every MiB, and the backend closes at once.  Every pause fills
the socket and the pipe, so splice says EAGAIN toward the reader; between them the pipe runs empty,
so it says EAGAIN from the backend.  Expected: every byte arrives, in order, with a clean end; most
were spliced; no session is closed for an error.  CI: the pause is 0.1 s.
"""

from kit import Source, each_engine, limit, receive, scaled, together

SIZE = 8 << 20
CLIENTS = 20


@each_engine
def test_F07_splice_says_again(stage, way):
    target = stage.target(way, [stage.backend(Source(SIZE, forked=True))])

    def client(number):
        sock = stage.connect(target, rcvbuf=65536)
        sock.sendall(number.to_bytes(4))
        arrival = receive(sock, limit(20), seed=number, pace=(1 << 20, scaled(0.1, 0.5)))
        return arrival.count, arrival.end

    assert set(together(CLIENTS, CLIENTS, client)) == {(SIZE, "fin")}
    stage.close_clients()
    target.expect_reasons(backend_fin=CLIENTS)
    if target.is_l4lb:
        spliced = sum(worker["spliced_bytes"] for worker in target.stats()["workers"])
        assert spliced > CLIENTS * SIZE / 2
    target.quiet()
