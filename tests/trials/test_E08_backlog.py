# SPDX-License-Identifier: Apache-2.0
"""E08: a burst of connects must not overflow the accept queue, or clients wait a second and more.

1,000 clients connect at once, without blocking, then echo once each.  Expected: no connect takes
900 ms or longer (SYNs are repeated after 1 s), the listener's queue holds 1,024 or more, and
strictly, on a machine of our own, the kernel counted no overflow.
"""

import errno
import resource
import select
import socket
import subprocess
import time

from kit import Echo, STRICT, each_engine, limit, receive_exactly

CLIENTS = 1000
MESSAGE = b"once"


def overflows():
    """The kernel's count of connections that found an accept queue full."""
    with open("/proc/net/netstat", encoding="ascii") as file:
        rows = [line.split() for line in file if line.startswith("TcpExt:")]
    return int(dict(zip(*rows))["ListenOverflows"])


def queue_size(address):
    """The accept queue of a listening socket, as the kernel has it."""
    sockets = subprocess.run(["ss", "-Hltn", f"sport = :{address[1]}"], capture_output=True,
                             text=True, check=True).stdout
    return int(sockets.split()[2])


def connect_at_once(address, count):
    """Starts all connects, then waits for them; returns the sockets and each one's seconds."""
    poll, waiting = select.epoll(), {}
    for _ in range(count):
        sock = socket.socket()
        sock.setblocking(False)
        status = sock.connect_ex(address)
        assert status in (0, errno.EINPROGRESS), errno.errorcode[status]
        waiting[sock.fileno()] = (sock, time.monotonic())
        poll.register(sock, select.EPOLLOUT | select.EPOLLONESHOT)
    socks = [sock for sock, _ in waiting.values()]
    took, deadline = [], time.monotonic() + limit(5)
    while waiting and time.monotonic() < deadline:
        for fd, _ in poll.poll(1):
            _, begin = waiting.pop(fd)
            took.append(time.monotonic() - begin)
    poll.close()
    return socks, took


@each_engine
def test_E08_backlog(stage, way):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    stage.keep(None, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
    target = stage.target(way, [stage.backend(Echo(forked=True))])
    assert queue_size(target.address) >= 1024
    before = overflows()
    socks, took = connect_at_once(target.address, CLIENTS)
    for sock in socks:
        stage.keep(sock, sock.close)
    assert len(took) == CLIENTS, f"{CLIENTS - len(took)} clients never connected"
    assert max(took) < 0.9, f"a connect took {max(took):.2f} s"
    for sock in socks:
        sock.setblocking(True)
        sock.sendall(MESSAGE)
    for sock in socks:
        assert receive_exactly(sock, len(MESSAGE), limit(5)) == MESSAGE
        sock.close()
    assert not STRICT or overflows() == before
    target.quiet()
