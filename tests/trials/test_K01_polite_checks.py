# SPDX-License-Identifier: Apache-2.0
"""K01: checks must not end by resets that fill the backend's log.

A backend sends a 50 byte banner at accept, or answers HTTP, then reads and records a FIN or a
reset; checks every 200 ms for 10 s (in CI 1 s), of each type.  Expected: no reset at all, and the
checks pass.  Likewise to PostgreSQL and to sshd, which must not write more lines for a check than
for a direct `nc -z`.
"""

import os
import shutil
import sys
import time

from kit import Script, limit, only_l4lb, receive, scaled, wait_until
from kit.api import Api
from kit.health import every
from kit.postgres import postgres
from kit.programs import Server, as_user, free_port, own_folder, run

import pytest

SECONDS, INTERVAL = scaled(1, 10), 0.2
BANNER = b"welcome ".ljust(49, b".") + b"\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 3000\r\nConnection: close\r\n\r\n" + b"x" * 3000
DIRECT = 10  # Of `nc -z`.


def greet(sock, _index):
    sock.sendall(BANNER)
    return receive(sock, limit(5)).end


def answer(sock, _index):
    """As web servers do that close first: what the client still sends is read."""
    request = b""
    while not request.endswith(b"\r\n\r\n"):
        piece = sock.recv(4096)
        if not piece:
            return "fin"
        request += piece
    sock.sendall(ANSWER)
    sock.shutdown(1)
    return receive(sock, limit(5)).end


CASES = {
    "tcp": (greet, every(INTERVAL)),
    "send_expect": (greet, every(INTERVAL, "send_expect", expect="welcome")),
    "send_expect_regex": (greet, every(INTERVAL, "send_expect", expect_regex="^wel+come")),
    "http": (answer, every(INTERVAL, "http")),
}


def checked(api):
    """How many checks have ended, all of which passed."""
    check = api.backends()["b1"]["check"]
    assert check["failed"] == 0, check
    return check["passed"]


def wait_for_checks(target, count):
    api = Api(target)
    wait_until(lambda: checked(api) >= count, limit(count * INTERVAL + 1), f"{count} checks")
    assert api.backends()["b1"]["check"]["health"] == "up"


@pytest.mark.parametrize("kind", CASES)
@only_l4lb
def test_K01_no_resets(stage, way, kind):
    serve, check = CASES[kind]
    backend = stage.backend(Script(serve))
    target = stage.target(way, [backend], health_check=check)
    count = round(SECONDS / INTERVAL)
    wait_for_checks(target, count)
    wait_until(lambda: len(backend.results) >= count, limit(1), "the ends of the checks")
    assert set(backend.results) == {"fin"}, backend.results
    target.stop()
    wait_until(lambda: len(backend.results) == backend.accepted, limit(1), "the last one's end")
    # The daemon's own end may cut one short.
    assert "reset" not in backend.results[:-1], backend.results


def lines_for_nc(server):
    """What the server writes for one bare connection, at most."""
    wait_for_silence(server)
    before = server.printed().count("\n")
    for _ in range(DIRECT):
        run(["nc", "-z", server.host, server.port], within=2)
    wait_for_silence(server)
    return (server.printed().count("\n") - before) / DIRECT


def wait_for_silence(server):
    """Until all that it was to write is written: it has answered a later connection."""
    run([sys.executable, "-c",
         "import socket, sys; s = socket.create_connection((sys.argv[1], int(sys.argv[2])));"
         "s.shutdown(1); s.settimeout(5)\nwhile s.recv(4096): pass",
         server.host, server.port], within=5)


def compare(stage, way, server, recommended):
    """Also as docs/explanation/health.md recommends."""
    bare = lines_for_nc(server)
    for check in (every(INTERVAL), recommended):
        lines, checks = lines_for_checks(stage, way, server, check)
        print(f"{check['type']}: {lines} lines for at most {checks:.0f} checks, {bare:g} for each "
              "bare connection")
        assert lines <= bare * (checks + 1), server.describe()  # One more connection was ours.


def lines_for_checks(stage, way, server, check):
    """What it writes meanwhile, and for how many checks at most."""
    before, begun = server.printed().count("\n"), time.monotonic()
    target = stage.target(way, [server], health_check=check)
    wait_for_checks(target, round(SECONDS / INTERVAL))
    target.stop()
    wait_for_silence(server)
    checks = (time.monotonic() - begun) / (0.95 * INTERVAL) + 1
    return server.printed().count("\n") - before, checks


ASKS_FOR_TLS = every(INTERVAL, "send_expect", send_hex="00000008 04d2162f", expect_regex="^[SN]")
ASKS_FOR_SSH = every(INTERVAL, "send_expect", expect="SSH-")


@only_l4lb
def test_K01_postgres(stage, way):
    compare(stage, way, postgres(stage), ASKS_FOR_TLS)


def ssh_server(stage):
    """It runs as nobody: as root it wants a user and a folder of its own."""
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if not sshd:
        pytest.skip("no sshd")
    (user, folder), port = own_folder(stage, "nobody"), free_port()
    run(as_user(user, ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/key"]), 5)
    return stage.backend(Server(as_user(user, [
        sshd, "-D", "-e", "-f", "/dev/null", "-p", str(port), "-h", f"{folder}/key",
        "-o", "PidFile=none", "-o", "ListenAddress=127.0.0.1", "-o", "MaxStartups=1000"]), port))


@only_l4lb
def test_K01_sshd(stage, way):
    compare(stage, way, ssh_server(stage), ASKS_FOR_SSH)
