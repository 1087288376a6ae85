# SPDX-License-Identifier: Apache-2.0
"""Clients that hold places and clients that wait for them.  Used by the trials J05 and J12x."""

import select

from kit.ends import name_of
from kit.wire import limit, wait_until


class Client:
    """A connection to an Ident backend behind a limit; `name` is its backend's once it has one."""

    def __init__(self, stage, target, number):
        self.sock, self.number, self.name = stage.connect(target), number, None

    def served(self):
        """Whether its backend has spoken, without waiting."""
        if self.name is None and select.select([self.sock], [], [], 0)[0]:
            self.name = name_of(self.sock)
        return self.name is not None

    def leave(self):
        self.sock.close()


def fill(stage, target, places):
    """As many clients as there are places, all served."""
    clients = [Client(stage, target, number) for number in range(places)]
    wait_until(lambda: all([c.served() for c in clients]), limit(2), f"{places} clients served")
    return clients


def line_up(stage, target, count):
    """`count` clients that wait, each in the queue before the next one connects."""
    waiting = []
    for number in range(count):
        waiting.append(Client(stage, target, number))
        wait_until(lambda: target.pool()["waiting"] == len(waiting), limit(2),
                   f"client {number} in the queue")
    return waiting


def next_served(waiting, within):
    """The first of the clients that have a backend by now; removes it from the list."""
    client = wait_until(lambda: next((c for c in waiting if c.served()), None), within,
                        "a waiting client to be served")
    waiting.remove(client)
    return client
