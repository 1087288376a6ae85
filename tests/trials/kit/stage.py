# SPDX-License-Identifier: Apache-2.0
"""One trial's belongings: what it starts is put away in the opposite order, after a failure too."""

import os

import pytest

from kit.daemon import Daemon
from kit.kernel import lacks_io_uring
from kit.target import Direct, HAProxy
from kit.wire import connect


def _way(name):
    """A parameter of a trial.  Not the daemon is asked what the kernel has: it might be wrong."""
    lacking = lacks_io_uring() if name == "io_uring" else ""
    marks = [pytest.mark.skip(f"no io_uring here: {lacking}")] if lacking else []
    return pytest.param(name, marks=marks)


_ENGINES = os.environ.get("L4LB_ENGINES", "epoll").split(",")
_WAYS = os.environ.get("L4LB_WAYS", ",".join(["direct", *_ENGINES])).split(",")
ENGINES = [_way(name) for name in _ENGINES]

each_way = pytest.mark.parametrize("way", [_way(name) for name in _WAYS])
each_engine = pytest.mark.parametrize("way", [_way(name) for name in _WAYS if name != "direct"])
only_l4lb = pytest.mark.parametrize("way", ENGINES)
each_policy = pytest.mark.parametrize(
    "policy", ["round_robin", "random", "least_connections", "p2c"])


class Stage:
    """What a trial uses to start things."""

    def __init__(self, folder):
        self.folder, self._belongings, self._clients = folder, [], []

    def keep(self, thing, put_away):
        """Calls put_away() at the trial's end; returns `thing`."""
        self._belongings.append(put_away)
        return thing

    def backend(self, backend):
        """Starts a backend."""
        backend.start()
        return self.keep(backend, backend.stop)

    def target(self, way, backends, **options):
        """Puts what `way` names before the backends; see daemon.py for the options."""
        if way == "direct":
            return Direct(backends[0])
        folder = self.folder / f"target{len(self._belongings)}"
        folder.mkdir()
        if way == "haproxy":
            target = HAProxy(backends, folder, **options)
        else:
            target = Daemon(way, backends, folder, **options)
        return self.keep(target, target.stop)

    def connect(self, target, **options):
        """A client's connection (see wire.connect), closed by close_clients() at the latest."""
        sock = connect(target.address, **options)
        self._clients.append(sock)
        return sock

    def close_clients(self):
        """Closes all of them, as quiet() needs it."""
        for sock in self._clients:
            sock.close()
        self._clients.clear()

    def put_away(self):
        """Ends everything, the newest first; raises the first failure of doing so."""
        self.close_clients()
        failures = []
        for put_away in reversed(self._belongings):
            try:
                put_away()
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)
        self._belongings.clear()
        if failures:
            raise failures[0]
