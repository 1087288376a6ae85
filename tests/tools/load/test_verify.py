# SPDX-License-Identifier: Apache-2.0
"""--verify finds what a relay does to the bytes, says where, and exits with 1."""

import re
import socket
import struct
import threading

import pytest
from kit import load, relay, serve

PLACE = 5000  # In the stream that comes back.


def flip(data, position):
    at = PLACE - position
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:] if 0 <= at < len(data) else data


def lose(data, position):
    at = PLACE - position
    return data[:at] + data[at + 100:] if 0 <= at < len(data) - 200 else data


def repeat(data, position):
    at = PLACE - position
    return data[:at] + data[at - 100:] if 100 <= at < len(data) else data


@pytest.mark.parametrize("spoil, says", [(flip, "0x"), (lose, "100 bytes are missing"),
                                         (repeat, "100 bytes come again")])
def test_echo(spoil, says):
    with serve() as backend, relay(backend.address, spoil) as passing:
        result = load("echo", passing.address, "--size=20000", "--count=3", "--verify",
                      "--duration=200ms", status=1)
    assert result["errors"]["wrong_bytes"] == 1
    assert says in result["first_error"]
    place = int(re.search(r"position (\d+):", result["first_error"])[1])
    assert PLACE <= place <= PLACE + (0 if spoil is flip else 7)  # Some bytes agree by chance.


def test_echo_without_verify_does_not_look():
    with serve() as backend, relay(backend.address, flip) as passing:
        assert load("echo", passing.address, "--size=20000", "--count=3")["operations"] == 3


@pytest.mark.parametrize("work, direction", [("bulk", "down"), ("bulk", "both"), ("connect", "")])
def test_other_works(work, direction):
    flags = [f"--direction={direction}"] if direction else ["--size=20000"]
    with serve("--mode=ask") as backend, relay(backend.address, flip) as passing:
        result = load(work, passing.address, "--ask", "--verify", "--duration=200ms",
                      "--warmup=0", *flags, status=1)
    assert result["errors"]["wrong_bytes"] >= 1
    assert f"position {PLACE}:" in result["first_error"]


def test_churn_names_the_session_and_repeats_it():
    with serve() as backend, relay(backend.address, flip) as passing:
        results = [load("churn", passing.address, "--count=20", "--seed=8", "--duration=500ms",
                        status=1) for _ in range(2)]
    streams = [result["first_error"].split(",")[0] for result in results]
    assert streams[0].startswith("stream ")
    assert streams[0] == streams[1]


class Swap:
    """Two connections of whom each gets what the other is owed."""

    def __init__(self, target):
        host, port = target.split(":")
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % listener.getsockname()[1]
        self._target = (host, int(port))
        threading.Thread(target=self._run, args=[listener], daemon=True).start()

    def _run(self, listener):
        with listener:
            clients = [listener.accept()[0] for _ in range(2)]
        backends = [socket.create_connection(self._target) for _ in clients]
        for client, backend, other in zip(clients, backends, reversed(clients)):
            threading.Thread(target=self._pass, args=[client, backend], daemon=True).start()
            threading.Thread(target=self._pass, args=[backend, other], daemon=True).start()

    @staticmethod
    def _pass(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass


def test_mixed_up_streams():
    with serve() as backend:
        swapped = Swap(backend.address)
        result = load("echo", swapped.address, "--connections=2", "--count=10", "--verify",
                      "--duration=200ms", status=1)
    assert result["errors"]["wrong_bytes"] >= 1
    assert "another stream" in result["first_error"]


def test_upload_is_checked_by_the_backend():
    with serve("--mode=ask") as backend:
        host, port = backend.address.split(":")
        ask = struct.pack("=IBBHIIQQ", 0x4c344c01, 1, 1, 0, 0, 0, 0, 7)  # sink, verify, key 7
        with socket.create_connection((host, int(port)), timeout=30) as upload:
            upload.sendall(ask + b"no pattern")
            upload.shutdown(socket.SHUT_WR)
            with upload.makefile("rb") as stream:
                received, first_wrong = struct.unpack("=QQ", stream.read(16))
    assert received == 10
    assert first_wrong <= 2
