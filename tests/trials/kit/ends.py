# SPDX-License-Identifier: Apache-2.0
"""Small questions to one end of a connection.  Used by the trials E*, G*, H*, J*, L* and N*."""

import select
import socket
import time

from kit.wire import Deadline, connect, limit, receive, receive_exactly, wait_until


def turns(target):
    """Turns of l4lb's loops so far; 0 for others."""
    return target.turns() if target.is_l4lb else 0


def await_close(sock, within):
    """Waits, without reading, until the far end has closed or reset; returns the seconds it took.

    Unread input does not hide the end: a FIN shows as POLLRDHUP, a reset as POLLERR and POLLHUP."""
    begin, deadline = time.monotonic(), Deadline.of(within)
    poll = select.poll()
    poll.register(sock, select.POLLRDHUP)
    assert poll.poll(int(deadline.left() * 1000) + 1), "the connection is still open"
    return time.monotonic() - begin


def dial(stage, target):
    """A client's connection, closed with the stage, that may be reset at once."""
    sock = socket.socket()
    stage.keep(sock, sock.close)
    sock.settimeout(limit(5))
    try:
        sock.connect(target.address)
    except ConnectionResetError:
        pass
    sock.setblocking(True)
    return sock


def keep_alive(sock, seconds):
    """Makes this end probe its peer every so many seconds of silence."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, seconds)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, seconds)


def echoes(sock, message=b"x", within=None):
    """Whether `message` comes back in time; for clients that may be waiting in a backlog."""
    deadline = Deadline.of(limit(1) if within is None else within)
    try:
        sock.sendall(message)
        got = b""
        while len(got) < len(message):
            sock.settimeout(max(0.001, deadline.left()))
            piece = sock.recv(len(message) - len(got))
            if not piece:
                return False
            got += piece
        return got == message
    except OSError:
        return False
    finally:
        if sock.fileno() >= 0:
            sock.setblocking(True)


def name_of(sock, within=None):
    """The name of the Ident backend at the far end."""
    deadline, name = Deadline.of(limit(1) if within is None else within), b""
    while not name.endswith(b"\n"):
        name += receive_exactly(sock, 1, deadline)
    return name.decode().rstrip("\n")


def visit(target, **options):
    """A whole connection to an Ident backend, ended from both sides in order; returns its name."""
    with connect(target.address, **options) as sock:
        name = name_of(sock)
        sock.shutdown(socket.SHUT_WR)
        assert receive(sock, limit(1)).end == "fin"
        return name


def open_named(stage, target, count, **options):
    """So many connections to Ident backends, by the name of their backend."""
    clients = {}
    for _ in range(count):
        sock = stage.connect(target, **options)
        clients.setdefault(name_of(sock), []).append(sock)
    return clients


def reasons_of(target, clients):
    """Why the sessions of these clients, all of which have ended, were closed, as the access log
    says."""
    names = {"%s:%d" % client.getsockname() for client in clients}

    def lines():
        found = [line for line in target.access_log() if line["client"] in names]
        return found if len(found) == len(clients) else None

    found = wait_until(lines, limit(2), f"{len(clients)} lines in the access log")
    return [line["reason"] for line in found]


def refused(address, within, **options):
    """Whether a new connection is closed without a byte in time; its reset may come before
    connect() returns."""
    try:
        with connect(address, **options) as sock:
            arrival = receive(sock, within, count=1)
            return arrival.end in ("fin", "reset")
    except ConnectionResetError:
        return True
