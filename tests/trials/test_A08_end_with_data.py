# SPDX-License-Identifier: Apache-2.0
"""A08: the end of the stream comes together with the data.

1,000 connections, 50 at a time: client and backend both send 1 to 5,000 random bytes and shut
writing down at once after connect or accept, and read to the end. A loop that looks at the hang-
up before the data loses the last bytes. Expected: both ends of every connection have all the
bytes of each other.
"""

import random
import socket

from kit import Script, each_way, limit, receive, scaled, together, wait_until

CONNECTIONS = scaled(500, 1000)


def talk(sock, number):
    """Sends random bytes, finishes, reads; returns what was sent and what came."""
    source = random.Random(number)
    sent = source.randbytes(source.randint(1, 5000))
    sock.sendall(sent)
    sock.shutdown(socket.SHUT_WR)
    arrival = receive(sock, limit(5))
    assert arrival.end == "fin"
    return sent, arrival.data


@each_way
def test_A08_end_with_data(stage, way):
    backend = stage.backend(Script(lambda sock, index: talk(sock, 1_000_000 + index), forked=True))
    target = stage.target(way, [backend])
    clients = together(CONNECTIONS, parallel=50, task=lambda n: talk(stage.connect(target), n))
    wait_until(lambda: len(backend.results) == CONNECTIONS, limit(5), "the backend's results")
    assert sorted((back, forth) for forth, back in clients) == sorted(backend.results)
    target.quiet()
