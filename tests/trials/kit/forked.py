# SPDX-License-Identifier: Apache-2.0
"""Functions that run in a child process, and numbers that it shares with this one."""

import ctypes
import mmap
import os
import pickle
import signal
import struct
import sys
import threading
import time
import traceback

from kit.wire import Deadline

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


class Counts:
    """Counters that a forked child shares with its parent: add(slot), get(slot)."""

    def __init__(self):
        self._memory, self._lock = mmap.mmap(-1, 4096), threading.Lock()

    def add(self, slot, value):
        with self._lock:
            struct.pack_into("q", self._memory, slot * 8, self.get(slot) + value)

    def raise_to(self, slot, value):
        """Sets it to the greater of itself and `value`."""
        with self._lock:
            struct.pack_into("q", self._memory, slot * 8, max(self.get(slot), value))

    def get(self, slot):
        return struct.unpack_from("q", self._memory, slot * 8)[0]


def _keep_only(fds):
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        if fd > 2 and fd not in fds:
            try:
                os.close(fd)
            except OSError:
                pass


class Forked:
    """Runs function(*args) in a child process, which keeps no other fd of this one than `keep`;
    result() returns what the function returned and fails with its traceback when it raised."""

    def __init__(self, function, *args, keep=()):
        self._read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # Not to outlive a killed trial.
                _keep_only({write, *keep})
                # Those of pytest are gone.
                sys.stdout, sys.stderr = (open(fd, "w", buffering=1, closefd=False,
                                               encoding="utf-8") for fd in (1, 2))
                os.write(write, b"!")
                answer = pickle.dumps((True, function(*args)))
                status = 0
            except BaseException:  # pylint: disable=broad-except
                answer = pickle.dumps((False, traceback.format_exc()))
            with os.fdopen(write, "wb") as pipe:
                pipe.write(answer)
            os._exit(status)
        os.close(write)
        os.read(self._read, 1)  # It has let go of our fds.

    def result(self, within):
        data, deadline = b"", Deadline.of(within)
        os.set_blocking(self._read, False)
        while True:
            try:
                piece = os.read(self._read, 65536)
            except BlockingIOError:
                assert not deadline.passed(), f"child {self.pid} did not end in time"
                time.sleep(0.005)
                continue
            if not piece:
                break
            data += piece
        self.kill()
        assert data, "the child died"
        good, value = pickle.loads(data)
        assert good, value
        return value

    def signal(self, number):
        os.kill(self.pid, number)

    def kill(self):
        """Ends the child, if it still runs, by SIGKILL."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self._read)
            self.pid = 0
