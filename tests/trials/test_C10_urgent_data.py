# SPDX-License-Identifier: Apache-2.0
"""C10: urgent data (MSG_OOB) is data.

splice() stops at the urgent mark and never gets past it, and then reports an end that is none. In
both directions 1 MiB is sent with an urgent byte in the middle, or with the urgent byte last,
followed by the FIN. Expected: a receiver with SO_OOBINLINE gets all bytes in order and a clean
end.
"""

import socket

import pytest

from kit import Script, each_way, limit, pattern, receive, receive_exactly, send_pattern, wait_until

SIZE = 1 << 20
PLACES = {"middle": SIZE // 2, "last": SIZE - 1}


def send_with_urgent_byte(sock, place):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    send_pattern(sock, 10, place, limit(5))
    assert sock.send(pattern(10).at(place, 1), socket.MSG_OOB) == 1
    send_pattern(sock, 10, SIZE - place - 1, limit(5), offset=place + 1)
    sock.shutdown(socket.SHUT_WR)


def receive_inline(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    arrival = receive(sock, limit(5), seed=10)
    return arrival.count, arrival.end


@pytest.mark.parametrize("place", PLACES)
@each_way
def test_C10_urgent_from_backend(stage, way, place):
    def serve(sock, _index):
        receive_exactly(sock, 1, limit(5))
        send_with_urgent_byte(sock, PLACES[place])
        receive(sock, limit(5))

    target = stage.target(way, [stage.backend(Script(serve))])
    client = stage.connect(target)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    client.sendall(b"x")
    assert receive_inline(client) == (SIZE, "fin")
    stage.close_clients()
    target.quiet()


@pytest.mark.parametrize("place", PLACES)
@each_way
def test_C10_urgent_from_client(stage, way, place):
    backend = stage.backend(Script(lambda sock, _: receive_inline(sock)))
    target = stage.target(way, [backend])
    send_with_urgent_byte(stage.connect(target), PLACES[place])
    wait_until(lambda: backend.results, limit(5), "the backend's result")
    assert backend.results == [(SIZE, "fin")]
    stage.close_clients()
    target.quiet()
