# SPDX-License-Identifier: Apache-2.0
"""Clients that stay connected to Ident backends, and connect anew at once when they are closed."""

import collections
import select
import time

from kit.ends import name_of
from kit.wire import Deadline


class Crowd:
    """`count` of them.  They see their connection's end only while watch() runs."""

    def __init__(self, stage, target, count):
        self._stage, self._target, self._poll = stage, target, select.poll()
        self.names = {}   # The backend's name by socket.
        self.closed = []  # (time, socket) of every connection that the far end has closed.
        for _ in range(count):
            self._join()

    def _join(self):
        sock = self._stage.connect(self._target)
        self.names[sock] = name_of(sock)
        self._poll.register(sock, select.POLLIN | select.POLLRDHUP)

    def _rejoin(self, sock):
        self.closed.append((time.monotonic(), sock))
        self._poll.unregister(sock)
        del self.names[sock]
        sock.close()
        self._join()

    def watch(self, seconds, until=lambda: False):
        """Connects anew whoever was closed, for so long or until `until()`, asked after each."""
        deadline = Deadline(seconds)
        while not deadline.passed() and not until():
            by_fd = {sock.fileno(): sock for sock in self.names}
            for fd, _ in self._poll.poll(min(50, int(deadline.left() * 1000) + 1)):
                self._rejoin(by_fd[fd])

    def counts(self):
        """How many are at each backend, by its name."""
        return collections.Counter(self.names.values())
