# SPDX-License-Identifier: Apache-2.0
"""A10: connections without a byte, or with a late first byte.

(a) 1,000 times connect and close: the backend sees at most 1,000 connections, each with a clean
end and nothing else. (b) connect, idle for 3 s, shut writing down: the backend then sends `bye`,
which must arrive. (c) connect, idle for 3 s, send one byte: its echo comes within 20 ms. CI idles
for 1 s.
"""

import socket
import time

from kit import Echo, Script, Sink, each_way, limit, receive, receive_exactly, scaled, wait_until

IDLE = scaled(1, 3)


@each_way
def test_A10_connect_and_close(stage, way):
    count = scaled(300, 1000)
    backend = stage.backend(Sink(forked=True))
    target = stage.target(way, [backend])
    for _ in range(count):
        stage.connect(target).close()
    target.quiet()
    wait_until(lambda: len(backend.results) == backend.accepted, limit(2), "the backend's results")
    assert backend.accepted <= count
    assert {(arrival.count, arrival.end) for arrival in backend.results} <= {(0, "fin")}


@each_way
def test_A10_late_fin(stage, way):
    def say_bye(sock, _index):
        arrival = receive(sock, limit(10))
        sock.sendall(b"bye")
        return arrival.count, arrival.end

    backend = stage.backend(Script(say_bye))
    target = stage.target(way, [backend])
    client = stage.connect(target)
    time.sleep(IDLE)
    assert backend.results == []
    client.shutdown(socket.SHUT_WR)
    arrival = receive(client, limit(1))
    assert (arrival.data, arrival.end) == (b"bye", "fin")
    assert backend.results == [(0, "fin")]
    target.quiet()


@each_way
def test_A10_late_first_byte(stage, way):
    target = stage.target(way, [stage.backend(Echo())])
    client = stage.connect(target)
    time.sleep(IDLE)
    begin = time.monotonic()
    client.sendall(b"x")
    assert receive_exactly(client, 1, limit(1)) == b"x"
    assert time.monotonic() - begin <= limit(0.02)
    client.close()
    target.quiet()
