# SPDX-License-Identifier: Apache-2.0
"""A09: the connection to the backend is established with banner and FIN already there.

The backend sends `BANNER` and a line end at accept and closes; the first event after the connect
is then readable, writable and hung up at once. 2,000 clients, one after the other, send nothing
and read to the end. Expected: each has exactly these 8 bytes, and no connect counts as failed.
"""

from kit import Script, each_way, limit, receive, scaled

BANNER = b"BANNER\r\n"
CLIENTS = scaled(500, 2000)


@each_way
def test_A09_banner_and_fin(stage, way):
    backend = stage.backend(Script(lambda sock, index: sock.sendall(BANNER), forked=True))
    target = stage.target(way, [backend])
    for _ in range(CLIENTS):
        client = stage.connect(target)
        arrival = receive(client, limit(2))
        client.close()
        assert (arrival.data, arrival.end) == (BANNER, "fin")
    target.expect_reasons(backend_fin=CLIENTS)
    if target.is_l4lb:
        pool = target.stats()["pools"]["default"]
        assert pool["connects_failed"] == 0
        assert pool["connects_established"] == CLIENTS
    target.quiet()
