# SPDX-License-Identifier: Apache-2.0
"""C07: pipes must not use up the descriptors that connections need.

With a limit of 100 descriptors 30 clients connect and each echoes 64 KiB, then 1 MiB (enough to
want a pipe), all at the same time. Expected: every accepted connection has its 64 KiB back within
2 s, by copying when there is no pipe; one beyond the capacity waits, or is refused or reset at
once; none hangs after the others have left.
"""

import threading

from kit import Echo, each_engine, limit, receive, send_pattern, together

CLIENTS = 30


def echo(sock, seed, size, within):
    sender = threading.Thread(target=send_pattern, args=(sock, seed, size, within))
    sender.start()
    arrival = receive(sock, within, count=size, seed=seed)
    sender.join()
    return arrival.count == size


@each_engine
def test_C07_few_descriptors(stage, way):
    target = stage.target(way, [stage.backend(Echo(forked=True))], nofile=100)
    everybody = threading.Barrier(CLIENTS)

    def client(number):
        sock = stage.connect(target)
        everybody.wait(limit(5))
        small = echo(sock, number, 65536, limit(2))
        large = echo(sock, number, 1 << 20, limit(5))
        sock.close()
        return small and large

    assert all(together(CLIENTS, CLIENTS, client))
    if target.is_l4lb:
        assert target.listener()["accepted"] == CLIENTS
    target.quiet()
