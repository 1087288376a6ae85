# SPDX-License-Identifier: Apache-2.0
"""Round trips and new connections against the backend that suits them: what they count, and that nothing is wrong."""

import pytest
from kit import load, run, serve


def test_echo_closed_loop():
    with serve() as backend:
        result = load("echo", backend.address, "--connections=8", "--count=2000", "--size=1000",
                      "--verify")
    assert result["operations"] == result["latency_us"]["count"] == 2000
    assert result["bytes_down"] == result["bytes_up"] == 2_000_000
    assert 0 < result["latency_us"]["p50"] <= result["latency_us"]["p99"]
    assert result["latency_us"]["p99_9"] <= result["latency_us"]["max"]


def test_echo_of_messages_larger_than_any_buffer():
    with serve("--threads=2") as backend:
        result = load("echo", backend.address, "--connections=4", "--count=20", "--size=3MiB",
                      "--threads=2", "--verify")
    assert result["bytes_down"] == 20 * 3 * 2**20


def test_echo_of_many_targets():
    with serve("--listen=127.0.0.1:0,127.0.0.2:0", "--mode=ask") as backend:
        assert len(backend.addresses) == 3
        result = load("echo", ",".join(backend.addresses), "--connections=9", "--count=900",
                      "--ask", "--verify", "--sources=5")
    assert result["operations"] == 900


@pytest.mark.parametrize("closer", ["client", "backend"])
@pytest.mark.parametrize("ask", [True, False])
def test_connect(closer, ask):
    mode = ["--mode=ask"] if ask else ["--mode=answer", "--size=100"]
    mode += ["--close_first"] if closer == "backend" and not ask else []
    flags = ["--ask"] if ask else []
    with serve(*mode) as backend:
        result = load("connect", backend.address, f"--close={closer}", "--concurrency=10",
                      "--count=500", "--size=100", "--verify", "--sources=20", *flags)
    assert result["operations"] == 500
    assert result["bytes_down"] == result["bytes_up"] == 50_000


def test_connect_and_reset():
    with serve("--mode=answer") as backend:
        result = load("connect", backend.address, "--close=client", "--count=200",
                      "--linger_reset")
    assert result["operations"] == 200


def test_the_table_and_silence():
    with serve() as backend:
        target = f"--target={backend.address}"
        table = run("echo", target, "--count=50")
        quiet = run("echo", target, "--count=50", "--quiet")
    assert "operations  50" in table.stdout and "errors      none" in table.stdout
    assert (table.returncode, table.stderr) == (0, "")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
