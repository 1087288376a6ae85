# SPDX-License-Identifier: Apache-2.0
"""E05: a client's end must be noticed while reading from it is paused.

The backend does not read; the client uploads until nothing is taken any more.  When it then
resets, the backend sees the end within 1 s although it never read.  When it closes in order, every
byte that its kernel took arrives once the backend reads, and then the end of the stream.
"""

import threading

from kit import Script, each_way, limit, linger0, receive, send_until_blocked, wait_until
from kit.ends import await_close

SEED = 5
MOST = 256 << 20


@each_way
def test_E05_reset(stage, way):
    backend = stage.backend(Script(lambda sock, _index: await_close(sock, within=limit(30))))
    target = stage.target(way, [backend])
    client = stage.connect(target)
    assert send_until_blocked(client, SEED, still=0.5, most=MOST) < MOST
    target.check_rest()
    linger0(client)
    wait_until(lambda: backend.results, limit(1), "the end at the backend")
    target.expect_reasons(client_reset=1)
    target.quiet()


@each_way
def test_E05_orderly(stage, way):
    go = threading.Event()

    def read_late(sock, _index):
        go.wait(limit(30))
        return receive(sock, limit(30), seed=SEED)

    backend = stage.backend(Script(read_late))
    target = stage.target(way, [backend])
    client = stage.connect(target)
    sent = send_until_blocked(client, SEED, still=0.5, most=MOST)
    client.close()
    target.check_rest()
    go.set()
    arrival = wait_until(lambda: backend.results, limit(10), "the end at the backend")[0]
    assert (arrival.count, arrival.end) == (sent, "fin")
    target.expect_reasons(client_fin=1)
    target.quiet()
