# SPDX-License-Identifier: Apache-2.0
"""l4lb-load as backend and as crowd of clients, where Python would be too slow.

    backend = stage.backend(Served("ask"))
    load = stage.keep(Load("churn", target, "--ask", "--connections=100"), ...)   # or
    figures = run_load("connect", target, "--count=20000")
"""

import json
import os
import pathlib
import signal
import subprocess

from kit.daemon import BINARY
from kit.programs import Server, free_port
from kit.target import DIE_WITH_US
from kit.wire import limit

PROGRAM = pathlib.Path(os.environ.get("L4LB_BIN_DIR", BINARY.parent)) / "l4lb-load"


class Served(Server):
    """`l4lb-load serve --mode=MODE`, a process of its own."""

    def __init__(self, mode, name=None):
        port = free_port()
        super().__init__([*DIE_WITH_US, str(PROGRAM), "serve", f"--listen=127.0.0.1:{port}",
                          f"--mode={mode}"], port, name)

    def signal(self, number):
        os.kill(self.pid, number)

    def end(self):
        """Ends it by SIGTERM; it can be started again, as after kill()."""
        self._process.terminate()
        self._process.wait(limit(5))


class Load:
    """A running `l4lb-load WORK`."""

    def __init__(self, work, target, *flags):
        host, port = target.address
        self._command = [*DIE_WITH_US, str(PROGRAM), work, f"--target={host}:{port}", "--json",
                         *flags]
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def signal(self, number):
        if self._process.poll() is None:
            self._process.send_signal(number)

    def result(self, within):
        """Its figures; fails when a byte was wrong or a connection was lost."""
        output, errors = self._process.communicate(timeout=limit(within))
        assert self._process.returncode == 0, f"{self._command}: {errors}{output}"
        return json.loads(output)

    def finish(self, within):
        """Asks it to end now, and returns its figures; that it was interrupted is no failure."""
        self._process.send_signal(signal.SIGINT)
        output, errors = self._process.communicate(timeout=limit(within))
        figures = json.loads(output)
        lost = {kind: count for kind, count in figures["errors"].items() if count}
        assert figures["interrupted"] and not lost, f"{self._command}: {errors}{output}"
        return figures

    def stop(self):
        """Ends it, whatever it is at."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
        self._process.communicate()


def run_load(work, target, *flags, within=60):
    """Runs it to its end and returns its figures."""
    load = Load(work, target, *flags)
    try:
        return load.result(within)
    finally:
        load.stop()
