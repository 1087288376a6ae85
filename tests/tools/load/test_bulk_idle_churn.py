# SPDX-License-Identifier: Apache-2.0
"""The other loads against the backend that suits them: what they count, and that nothing is wrong."""

import socket

import pytest
from kit import errors, load, serve


@pytest.mark.parametrize("direction", ["up", "down", "both"])
def test_bulk_is_counted_and_checked(direction):
    size = 10_000_000
    with serve("--mode=ask") as backend:
        result = load("bulk", backend.address, f"--direction={direction}", "--streams=3",
                      f"--bytes={size}", "--ask", "--verify", "--threads=2")
    assert result["operations"] == 3
    assert result["bytes_up"] == (0 if direction == "down" else 3 * size)
    assert result["bytes_down"] == (0 if direction == "up" else 3 * size)


@pytest.mark.parametrize("mode, direction", [("sink", "up"), ("source", "down"), ("both", "both"),
                                             ("echo", "both")])
def test_bulk_of_raw_backends(mode, direction):
    with serve(f"--mode={mode}") as backend:
        result = load("bulk", backend.address, f"--direction={direction}", "--duration=100ms",
                      "--warmup=0", *([] if direction == "up" else ["--verify"]))
    assert (result["gbps_up"] > 0) == (direction != "down")
    assert (result["gbps_down"] > 0) == (direction != "up")


def test_source_sends_to_those_who_only_read():
    with serve("--mode=source") as backend:
        host, port = backend.address.split(":")
        with socket.create_connection((host, int(port)), timeout=30) as reader:
            with reader.makefile("rb") as stream:
                assert len(stream.read(100_000)) == 100_000


def test_idle_connections_are_alive_at_the_end():
    with serve() as backend:
        result = load("idle", backend.address, "--connections=300", "--hold=100ms")
    assert result["open"] == 300
    assert not errors(result)


@pytest.mark.parametrize("ask", [True, False])
def test_churn(ask):
    with serve("--mode=ask" if ask else "--mode=echo") as backend:
        result = load("churn", backend.address, "--connections=40", "--count=300", "--seed=3",
                      *(["--ask"] if ask else []))
    assert sum(result["ends"].values()) == result["operations"] == 300
    used = {name for name, count in result["ends"].items() if count}
    from_backend = {"backend_finished", "backend_reset"}
    assert used == set(result["ends"]) - (set() if ask else from_backend)


def test_unix_sockets(tmp_path):
    address = f"unix:{tmp_path}/echo"
    with serve(f"--listen={address}"):
        assert load("echo", address, "--connections=3", "--count=300", "--verify")["open"] == 3
    with serve(f"--listen={address}", "--mode=sink"):
        assert load("bulk", address, "--duration=100ms", "--warmup=0")["bytes_up"] > 0
