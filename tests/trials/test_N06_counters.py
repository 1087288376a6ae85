# SPDX-License-Identifier: Apache-2.0
"""N06: counters add up, and go beyond 32 bits.

Transfers of 2^32 - 1, 2^32 and 2^32 + 1 bytes (in CI the last one), each on one connection.
Expected: the backend has every byte, and the counters, the API and the metrics equal it to the
byte.  Then orderly clients,
resets, refused backends and no backend at all, over two workers: accepted = closed + active, the
sum over the reasons is closed, and every accepted connection is a session of a backend or one that
never got any.
"""

import os
import socket

from kit import Echo, Entry, Forked, Refuse, Script, connect, limit, linger0, only_l4lb, receive
from kit import scaled, together
from kit.api import Api
from kit.configuration import service
from kit.ends import echoes, refused

import pytest

BORDER = 1 << 32
SIZES = scaled([BORDER + 1], [BORDER - 1, BORDER, BORDER + 1])
FILE = 4 << 20
EACH = 50


def count_all(sock, _index):
    """Counts to the end without copying; MSG_TRUNC throws TCP's bytes away in the kernel."""
    total, untouched = 0, bytearray(1 << 22)
    sock.settimeout(limit(5))
    while count := sock.recv_into(untouched, 0, socket.MSG_TRUNC):
        total += count
    sock.sendall(b"%d\n" % total)
    return total


def upload(address, size, path):
    """Sends a file over and over up to `size` bytes, half-closes and returns the answer."""
    with open(path, "rb") as file, connect(address) as sock:
        sent = 0
        while sent < size:
            sent += os.sendfile(sock.fileno(), file.fileno(), 0, min(FILE, size - sent))
        sock.shutdown(socket.SHUT_WR)
        return receive(sock, limit(5)).data


@pytest.mark.parametrize("size", SIZES)
@only_l4lb
def test_N06_beyond_32_bits(stage, way, size, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(FILE))
    target = stage.target(way, [stage.backend(Script(count_all, forked=True))])
    client = Forked(upload, target.address, size, path)
    stage.keep(client, client.kill)
    assert client.result(limit(40)) == b"%d\n" % size
    target.quiet()
    listener = target.listener()
    assert listener["client_bytes_taken"] == listener["client_bytes_delivered"] == size
    assert listener["backend_bytes_delivered"] == len(b"%d\n" % size)
    line, = target.access_log(1)
    assert line["client_bytes"] == size
    api = Api(target)
    sums = api.get("/v1/listeners/default")["sums"]
    assert sums["client_bytes_taken"] == sums["client_bytes_delivered"] == size
    metrics = api.metrics()
    for what in ("taken", "delivered"):
        assert metrics[f'l4lb_listener_client_{what}_bytes_total{{listener="default"}}'] == size
    assert metrics['l4lb_listener_client_dropped_bytes_total{listener="default"}'] == 0
    answer = len(b"%d\n" % size)
    assert metrics['l4lb_listener_backend_delivered_bytes_total{listener="default"}'] == answer
    moved = sum(value for series, value in metrics.items()
                if series.startswith(("l4lb_worker_copied_bytes", "l4lb_worker_spliced_bytes")))
    assert moved == size + answer


def entries(stage):
    echo = stage.backend(Echo(forked=True))
    services = {"default": service("default", [echo]),
                "dead": service("dead", [stage.backend(Refuse())]),
                "none": service("none", [echo], weights=[0]),
                "mixed": service("mixed", [stage.backend(Refuse()), echo])}
    return {"listeners": [listener for listener, _ in services.values()],
            "pools": [pool for _, pool in services.values()]}


@only_l4lb
def test_N06_sums(stage, way):
    target = stage.target(way, [], **entries(stage), workers=2)
    good, dead, none, mixed = map(Entry, target.addresses)

    def client(number):
        for entry in (good, mixed):
            sock = connect(entry.address)
            assert echoes(sock, b"some bytes")
            (linger0 if number % 3 == 0 else socket.socket.close)(sock)
        assert refused(dead.address, limit(1)) and refused(none.address, limit(1))

    together(EACH, 8, client)
    held = [stage.connect(good) for _ in range(5)]
    assert all(echoes(sock) for sock in held)
    stats = target.stats()
    listeners, pools = stats["listeners"], stats["pools"]
    assert {name: l["accepted"] for name, l in listeners.items()} == {
        "default": EACH + len(held), "dead": EACH, "none": EACH, "mixed": EACH}
    for name, listener in listeners.items():
        assert listener["accepted"] == listener["closed"] + listener["active"], name
        assert sum(listener["closed_by_reason"].values()) == listener["closed"], name
        served = sum(b["sessions"] for b in pools[name]["backends"].values())
        without = sum(listener["closed_by_reason"][r] for r in ("connect_failed", "no_backend"))
        assert served + without == listener["accepted"], name
    metrics = Api(target).metrics()
    for name, listener in listeners.items():
        of = f'{{listener="{name}"'
        assert metrics[f"l4lb_listener_accepted_total{of}}}"] == listener["accepted"]
        assert metrics[f"l4lb_listener_active_sessions{of}}}"] == listener["active"]
        for reason, count in listener["closed_by_reason"].items():
            assert metrics[f'l4lb_listener_closed_total{of},reason="{reason}"}}'] == count
    assert sum(w["sessions"] for w in stats["workers"]) == len(held)
    assert listeners["default"]["active"] == len(held)
    stage.close_clients()
    target.quiet()
