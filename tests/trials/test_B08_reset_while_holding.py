# SPDX-License-Identifier: Apache-2.0
"""B08: a reset while bytes of the other direction are held.

(paused client) The backend has sent until nothing more is taken, the client has read nothing and
resets: the backend sees the reset within 1 s, though no byte can be delivered any more. (reading
client) The backend resets while its bytes are on their way to a client that reads 64 KiB every 5
ms: the client gets, in order, at least what the backend's kernel had seen acknowledged, and then
ECONNRESET. 10 times each.
"""

from kit import (Script, each_way, limit, linger0, receive, receive_exactly, send_until_blocked,
                 unsent, wait_until)

TIMES = 10
MOST = 64 << 20


@each_way
def test_B08_paused_client_resets(stage, way):
    stalled = []

    def flood(sock, _index):
        stalled.append(send_until_blocked(sock, 8, still=0.3, most=MOST))
        return receive(sock, limit(5)).end

    backend = stage.backend(Script(flood))
    target = stage.target(way, [backend])
    clients = [stage.connect(target, rcvbuf=65536) for _ in range(TIMES)]
    wait_until(lambda: len(stalled) == TIMES, limit(5), "the backends' standstill")
    assert 65536 < min(stalled) <= max(stalled) < MOST
    for client in clients:
        linger0(client)
    wait_until(lambda: len(backend.results) == TIMES, limit(1), "the reset at the backends")
    assert backend.results == ["reset"] * TIMES
    target.expect_reasons(client_reset=TIMES)
    target.quiet()


def send_and_reset(sock, _index):
    """Sends 1 MiB, resets, and returns how much of it was acknowledged before."""
    receive_exactly(sock, 1, limit(5))
    sent = send_until_blocked(sock, 8, still=0.02, most=1 << 20)
    acknowledged = sent - unsent(sock)
    linger0(sock)
    return acknowledged


@each_way
def test_B08_backend_resets_reading_client(stage, way):
    backend = stage.backend(Script(send_and_reset))
    target = stage.target(way, [backend])
    for number in range(TIMES):
        client = stage.connect(target)
        client.sendall(b"x")
        arrival = receive(client, limit(5), seed=8, pace=(65536, 0.005))
        client.close()
        wait_until(lambda n=number: len(backend.results) > n, limit(1), "the backend's result")
        assert arrival.end == "reset"
        assert backend.results[number] <= arrival.count <= 1 << 20
    target.expect_reasons(backend_reset=TIMES)
    target.quiet()
