# SPDX-License-Identifier: Apache-2.0
"""Real programs as backends: a command that serves on a port of its own, ended by its process id.

Used by K*, M07 and programs_*.py.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

from kit.backends import reserve_port
from kit.wire import limit


def free_port():
    """A port that nobody has now, below the range that the kernel hands out."""
    with reserve_port() as sock:
        return sock.getsockname()[1]


def run(command, within, **options):
    """Runs a client program to its end, which must be a good one; returns its stdout as text."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=limit(within), check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def _may_become_others():
    """Root, and not only of a user namespace that has nobody else."""
    if os.geteuid() != 0:
        return False
    with open("/proc/self/uid_map", encoding="ascii") as file:
        return sum(int(line.split()[2]) for line in file) > 1


def as_user(user, command):
    """`command` as this user if we may: some servers refuse to run as root."""
    if not _may_become_others():
        return command
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups",
            *command]


def own_folder(stage, name):
    """For a server that is to run as user `name`, or as who we are: (that user, a new folder that
    is the user's), put away with the stage."""
    user = pwd.getpwnam(name) if _may_become_others() else pwd.getpwuid(os.geteuid())
    folder = tempfile.mkdtemp(prefix=f"l4lb-{name}-")  # Others must get there: not pytest's.
    stage.keep(folder, lambda: shutil.rmtree(folder))
    os.chown(folder, user.pw_uid, user.pw_gid)
    return user, folder


class Server:
    """`command` must stay in the foreground and listen on 127.0.0.1:`port`; `stop_signal` ends it
    at once."""

    def __init__(self, command, port, name=None, cwd=None, stop_signal=signal.SIGTERM):
        self.name, self.host, self.port = name, "127.0.0.1", port
        self._command, self._cwd, self._stop_signal = command, cwd, stop_signal
        self._process, self._output = None, tempfile.TemporaryFile()

    @property
    def address(self):
        return self.host, self.port

    @property
    def pid(self):
        return self._process.pid

    def start(self):
        self._process = subprocess.Popen(self._command, cwd=self._cwd, stdin=subprocess.DEVNULL,
                                         stdout=self._output, stderr=self._output,
                                         start_new_session=True)
        deadline = time.monotonic() + limit(5)
        while not self._listens():
            assert self._process.poll() is None, self.describe()
            assert time.monotonic() < deadline, self.describe()
            time.sleep(0.02)
        return self

    def _listens(self):
        """Reads the kernel's table, since a trial connection would be a client to the server."""
        wanted = f":{self.port:04X}"
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(table, encoding="ascii") as file:
                for line in list(file)[1:]:
                    fields = line.split()
                    if fields[1].endswith(wanted) and fields[3] == "0A":
                        return True
        return False

    def printed(self):
        """All that it has written to its stdout and stderr."""
        size = os.fstat(self._output.fileno()).st_size
        return os.pread(self._output.fileno(), size, 0).decode(errors="replace")

    def describe(self):
        """The end of that, for messages."""
        return f"{self._command}:\n{self.printed()[-4000:]}"

    def kill(self):
        """Ends it by SIGKILL."""
        self._process.kill()
        self._process.wait()

    def stop(self):
        if self._process and self._process.poll() is None:
            self._process.send_signal(self._stop_signal)
            try:
                self._process.wait(limit(1))
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        self._output.close()
