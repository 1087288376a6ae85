# SPDX-License-Identifier: Apache-2.0
"""l4lb-load as a program: serve() is a backend, load() a run with its JSON."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("L4LB_BIN_DIR", ROOT / "build/release/bin"))
LOAD = str(BIN / "l4lb-load")
PATIENCE = 60  # A deadline, not a verdict.


class Backend:
    """A running `l4lb-load serve`."""

    def __init__(self, *flags):
        self.process = subprocess.Popen([LOAD, "serve", "--listen=127.0.0.1:0", *flags],
                                        stdout=subprocess.PIPE, text=True)
        self.addresses = []
        for line in self.process.stdout:
            if line == "ready\n":
                break
            self.addresses.append(line.split()[1])
        assert self.addresses, "serve did not start"
        self.address = self.addresses[0]

    def stop(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        assert status == 0, f"serve ended with {status}"


@contextlib.contextmanager
def serve(*flags):
    backend = Backend(*flags)
    try:
        yield backend
    finally:
        backend.stop()


def run(*arguments):
    return subprocess.run([LOAD, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          check=False)


def load(work, target, *flags, status=0):
    """Runs a load and returns its JSON; fails unless it ends with `status`."""
    done = run(work, f"--target={target}", "--json", *flags)
    assert done.returncode == status, f"{done.returncode}: {done.stderr}{done.stdout}"
    return json.loads(done.stdout)


def errors(result):
    """Those that are not 0."""
    return {kind: count for kind, count in result["errors"].items() if count}


class Relay:
    """Passes bytes between clients and `target`, and spoils those that come back: `spoil(data,
    position)` returns what is sent in place of `data`, which begins at `position`."""

    def __init__(self, target, spoil):
        host, port = target.split(":")
        self._target, self._spoil = (host, int(port)), spoil
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                backend = socket.create_connection(self._target)
                for pair in ((client, backend, None), (backend, client, self._spoil)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    @staticmethod
    def _pass(source, sink, spoil):
        position = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(spoil(data, position) if spoil else data)
                position += len(data)
            sink.shutdown(socket.SHUT_WR)

    def stop(self):
        self._listener.close()


@contextlib.contextmanager
def relay(target, spoil):
    passing = Relay(target, spoil)
    try:
        yield passing
    finally:
        passing.stop()
