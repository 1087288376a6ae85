# SPDX-License-Identifier: Apache-2.0
"""Clients that come at a steady rate, whatever becomes of those before them, in a child process.

Each connects, sends a message, reads it back from an Echo backend, repeats that while it stays, and
closes.
"""

import errno
import random
import selectors
import socket
import time
from dataclasses import dataclass

from kit.forked import Counts, Forked
from kit.wire import RESETS

NAP = 0.1  # Seconds between two messages of one client.
SIZE = 32


@dataclass
class Visit:
    client: str      # Its address, as the access log has it.
    begin: float     # Of time.monotonic(), just before its connect.
    seconds: float = 0.0  # Until its first answer; without one until its end.
    answers: int = 0
    ended: float = 0.0
    # "served", or how the far end let it down: "fin", "reset", "silent" (for longer than the
    # crowd's patience), "wrong" (bytes).
    end: str = ""


@dataclass
class Plan:
    rate: float           # Clients a second.
    seed: int
    stay: tuple = (0, 0)  # Seconds that a client stays after its first answer, from and to.
    patience: float = 10  # Seconds that it waits for an answer.


class Arrivals:
    """They begin at once, and end with finish()."""

    def __init__(self, stage, address, plan):
        self._over = Counts()
        self._child = Forked(_run, address, plan, self._over)
        stage.keep(self._child, self._child.kill)

    def finish(self, within):
        """No more clients; the Visit of each once all have left."""
        self._over.add(0, 1)
        return self._child.result(within)


def _run(address, plan, over):
    chance, selector, visits = random.Random(plan.seed), selectors.DefaultSelector(), []
    begin = time.monotonic()
    while not over.get(0) or selector.get_map():
        while not over.get(0) and len(visits) < (time.monotonic() - begin) * plan.rate:
            client = _Client(selector, address, plan, chance)
            visits.append(client.visit)
        for key, _ in selector.select(0.005):
            key.data.go_on()
        now = time.monotonic()
        for key in list(selector.get_map().values()):
            key.data.look_at_the_clock(now)
    return visits


class _Client:
    def __init__(self, selector, address, plan, chance):
        self._selector, self._patience = selector, plan.patience
        self._stay, self._message = chance.uniform(*plan.stay), chance.randbytes(SIZE)
        self._got, self._send_at, self._asked_at = b"", None, time.monotonic()
        self._sock = socket.socket()
        self._sock.setblocking(False)
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.visit = Visit("", self._asked_at)
        error = self._sock.connect_ex(address)
        self.visit.client = "%s:%d" % self._sock.getsockname()
        selector.register(self._sock, selectors.EVENT_WRITE, self)
        if error not in (0, errno.EINPROGRESS):
            self._leave("reset")

    def go_on(self):
        """Its socket is ready."""
        try:
            if self._selector.get_key(self._sock).events & selectors.EVENT_WRITE:
                self._selector.modify(self._sock, selectors.EVENT_READ, self)
                self._sock.send(self._message)
                return
            piece = self._sock.recv(4096)
        except OSError as error:
            if error.errno not in RESETS:
                raise
            self._leave("reset")
            return
        self._take(piece)

    def _take(self, piece):
        self._got += piece
        if not piece:
            self._leave("fin")
        elif not self._message.startswith(self._got):
            self._leave("wrong")
        elif self._got == self._message:
            self._answered(time.monotonic())

    def _answered(self, now):
        self.visit.answers += 1
        if self.visit.answers == 1:
            self.visit.seconds, self._stay = now - self.visit.begin, self._stay + now
        self._got = b""
        if now >= self._stay:
            self._leave("served")
        else:
            self._send_at = now + NAP

    def look_at_the_clock(self, now):
        """Sends again when it is time, or gives up."""
        if self._send_at is None:
            if now - self._asked_at > self._patience:
                self._leave("silent")
        elif now >= self._send_at:
            self._send_at, self._asked_at = None, now
            try:
                self._sock.send(self._message)
            except OSError:
                pass  # Reading says how it ended.

    def _leave(self, end):
        self.visit.end, self.visit.ended = end, time.monotonic()
        if not self.visit.answers:
            self.visit.seconds = self.visit.ended - self.visit.begin
        self._selector.unregister(self._sock)
        self._sock.close()
