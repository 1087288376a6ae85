# SPDX-License-Identifier: Apache-2.0
"""F06: more events at once than the engine has room for.

3,000 idle connections; then all have one byte at the same moment, which an echo sends back, ten
times.  (io_uring: completions that find their queue full are parked by the kernel, and connections
whose completions are never fetched go dead.)  So that it is one moment, the daemon is stopped while
the bytes are sent, and the backend, a process of its own, while the daemon passes them on.
Expected: 3,000 echoes within 3 s of every round.
"""

import select
import signal
import time

from kit import each_way, limit, scaled, wait_until
from kit.load import Served

CONNECTIONS = 3000
ROUNDS = scaled(4, 10)


def stop(process):
    process.signal(signal.SIGSTOP)


def resume(process):
    process.signal(signal.SIGCONT)


def collect(clients, message, within):
    """How many have got exactly `message` in time."""
    poll, waiting, deadline = select.epoll(), {}, time.monotonic() + within
    for client in clients:
        poll.register(client, select.EPOLLIN)
        waiting[client.fileno()] = client
    while waiting and time.monotonic() < deadline:
        for fd, _ in poll.poll(max(0, deadline - time.monotonic())):
            if waiting[fd].recv(16) != message:
                return CONNECTIONS - len(waiting)
            poll.unregister(fd)
            del waiting[fd]
    poll.close()
    return CONNECTIONS - len(waiting)


def send_at_once(target, backend, clients, message):
    """To a target that finds all of it when it comes back, and then all of the echoes."""
    if target.is_direct:
        for client in clients:
            client.sendall(message)
        return
    stop(backend)
    stop(target)
    for client in clients:
        client.sendall(message)
    resume(target)
    time.sleep(0.3)  # It has passed them on.
    stop(target)
    resume(backend)
    time.sleep(0.3)  # They have come back.
    resume(target)


@each_way
def test_F06_completion_burst(stage, way):
    backend = stage.backend(Served("echo"))
    target = stage.target(way, [backend])
    clients = [stage.connect(target) for _ in range(CONNECTIONS)]
    if target.is_l4lb:
        wait_until(lambda: target.pool()["connects_established"] == CONNECTIONS, limit(3),
                   "all sessions")
    for number in range(ROUNDS):
        message = b"%d" % number
        send_at_once(target, backend, clients, message)
        assert collect(clients, message, limit(3)) == CONNECTIONS, f"round {number}"
    stage.close_clients()
    target.quiet()
