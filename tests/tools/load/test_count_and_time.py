# SPDX-License-Identifier: Apache-2.0
"""Every load ends, says what failed, and leaves when it is told to."""

import json
import signal
import socket
import subprocess
import time

import pytest
from kit import LOAD, PATIENCE, errors, load, run, serve


def refusing_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % probe.getsockname()[1]


@pytest.mark.parametrize("work", ["echo", "connect", "bulk", "idle", "churn"])
def test_nobody_there(work):
    time_flag = "--hold=100ms" if work == "idle" else "--duration=100ms"
    warmup = ["--warmup=0"] if work in ("echo", "connect", "bulk") else []
    result = load(work, refusing_address(), time_flag, *warmup, status=1)
    assert set(errors(result)) == {"connect_refused"}
    # Failures are slowed down: a dead target is not a loop without end.
    assert result["errors"]["connect_refused"] <= 200
    assert result["first_error"] == "connect: connection refused"


def test_connections_that_never_open():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        with socket.create_connection(address):  # The backlog is full now.
            result = load("echo", "127.0.0.1:%d" % address[1], "--connections=3",
                          "--connect_timeout=300ms", "--duration=100ms", "--warmup=0", status=1)
    assert errors(result) == {"connect_timeout": 3}


def test_a_count_that_is_not_reached_is_a_failure():
    with serve("--mode=sink") as backend:
        result = load("echo", backend.address, "--count=5", "--duration=100ms",
                      "--grace=100ms", status=1)
    assert errors(result) == {"unanswered": 1, "not_reached": 5}


def test_a_backend_that_leaves():
    with serve("--mode=answer", "--size=64", "--close_first") as backend:
        result = load("echo", backend.address, "--count=5", "--duration=100ms", status=1)
        assert result["operations"] == 1
        # Which of the two depends on whether the next message was on its way.
        assert result["errors"]["closed_early"] + result["errors"]["reset"] == 1
        again = load("echo", backend.address, "--duration=300ms", "--warmup=0", "--reconnect",
                     status=1)
    assert again["operations"] >= 3


def test_the_time_is_kept():
    with serve() as backend:
        result = load("echo", backend.address, "--duration=300ms", "--warmup=100ms")
    assert 0.29 <= result["seconds"] < PATIENCE
    assert result["parameters"]["duration_ms"] == 300


def test_an_interrupted_run_tells_what_it_has():
    with serve() as backend:
        process = subprocess.Popen([LOAD, "echo", f"--target={backend.address}", "--duration=1h",
                                    "--warmup=0", "--json"], stdout=subprocess.PIPE, text=True)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=PATIENCE)[0]
    result = json.loads(output)
    assert (process.returncode, result["interrupted"]) == (1, True)
    assert result["operations"] > 0 and not errors(result)


@pytest.mark.parametrize("how", ["signal", "stdin"])
def test_idle_connections_stay_until_told(how):
    with serve() as backend:
        process = subprocess.Popen([LOAD, "idle", f"--target={backend.address}", "--stay",
                                    "--connections=20", "--json"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        if how == "signal":
            process.terminate()
        output = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0
    assert json.loads(output)["open"] == 20


def test_an_address_in_use_is_a_failure_of_serve():
    with serve() as backend:
        done = run("serve", f"--listen={backend.address}")
    assert done.returncode == 1
    assert "cannot listen on" in done.stderr
