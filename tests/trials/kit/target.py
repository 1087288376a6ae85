# SPDX-License-Identifier: Apache-2.0
"""What stands between the clients and the backends of a trial."""

import os
import socket
import subprocess
import time

from kit.configuration import endpoint
from kit.wire import STRICT, limit, wait_until

DIE_WITH_US = ["setpriv", "--pdeathsig", "KILL"]  # Not to outlive a trial that was killed.


class Target:
    """`address` is where clients connect.  `is_l4lb` says whether it is a Daemon."""

    is_l4lb = False
    is_direct = False
    address = None

    def quiet(self, rest=True):
        """Fails unless nothing of the trial is left behind; to be called at its end.  `rest` False:
        check_rest(), which takes a second, is left out."""

    def check_rest(self, busy=0):
        """Fails when it works now, although there is nothing that it could do; `busy` allows for
        that many turns of l4lb's loops all the same."""

    def expect_reasons(self, **reasons):
        """Fails unless l4lb has closed exactly these numbers of sessions for these reasons; says
        nothing of other targets."""

    def stop(self):
        """Ends it."""


class Entry(Target):
    """Another listener of a target, for clients."""

    def __init__(self, address):
        self.address = address


class Direct(Target):
    """The backend itself."""

    is_direct = True

    def __init__(self, backend):
        self.address = backend.address


class Process(Target):
    """A running proxy with the process id `pid`."""

    pid = 0

    def signal(self, number):
        os.kill(self.pid, number)

    def fds(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def rss(self):
        """Bytes of resident memory."""
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self):
        """User and system time so far."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu(self, seconds):
        """Share of one core used during the next `seconds`, in percent."""
        before = self.cpu_seconds()
        time.sleep(seconds)
        return (self.cpu_seconds() - before) / seconds * 100


class HAProxy(Process):
    """Debian's HAProxy, mode tcp.  For calibrating trials: of the options only the time-outs, the
    policy, `weights`, `limits` and the queue's timeout are understood."""

    POLICIES = {"round_robin": "roundrobin", "least_connections": "leastconn", "random": "random"}

    def __init__(self, backends, folder, **options):
        listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.address = listener.getsockname()
        seconds = {"connect_timeout": "5s", "idle_timeout": "1h", "half_close_timeout": "5m"}
        seconds.update((key, options[key]) for key in seconds if key in options)
        path = folder / f"haproxy-{self.address[1]}.cfg"
        lines = ["global", " maxconn 4000", "defaults", " mode tcp", " option splice-auto",
                 f" timeout connect {seconds['connect_timeout']}",
                 f" timeout client {seconds['idle_timeout']}",
                 f" timeout server {seconds['idle_timeout']}",
                 f" timeout client-fin {seconds['half_close_timeout']}",
                 f" timeout server-fin {seconds['half_close_timeout']}",
                 f" timeout queue {options.get('queue', {}).get('timeout', '5s')}",
                 "listen trial", f" bind fd@{listener.fileno()}",
                 f" balance {self.POLICIES[options.get('policy', 'round_robin')]}"]
        ones, none = [1] * len(backends), [0] * len(backends)
        lines += [f" server {b.name or f'b{i + 1}'} {endpoint(b)} weight {weight} maxconn {most}"
                  for i, (b, weight, most) in enumerate(zip(
                      backends, options.get("weights", ones), options.get("limits", none)))]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        self._process = subprocess.Popen([*DIE_WITH_US, "haproxy", "-db", "-q", "-f", str(path)],
                                         pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL)
        listener.close()
        self.pid = self._process.pid
        self._wait_until_it_serves()
        self._sockets_before = self._sockets()

    def _wait_until_it_serves(self):
        def settled():
            before = self.cpu_seconds()
            time.sleep(0.1)
            return self.fds() > 5 and self.cpu_seconds() == before
        wait_until(settled, limit(5), "haproxy's start")

    def _sockets(self):
        """Open sockets; other descriptors are not counted, since pipes are cached without bound."""
        def is_socket(entry):
            try:
                return os.readlink(entry).startswith("socket:")
            except FileNotFoundError:  # It was closed meanwhile.
                return False
        return sum(map(is_socket, os.scandir(f"/proc/{self.pid}/fd")))

    def quiet(self, rest=True):
        assert self._process.poll() is None
        wait_until(lambda: self._sockets() <= self._sockets_before, limit(2), "haproxy's sockets")
        if rest:
            self.check_rest()

    def check_rest(self, busy=0):
        assert not STRICT or self.cpu(3) <= 5

    def stop(self):
        self._process.kill()
        self._process.wait()
