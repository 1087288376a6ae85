# SPDX-License-Identifier: Apache-2.0
"""K11: what becomes of the sessions of a backend whose checks fail, although it still serves.

Two Redis servers, five clients at each; the check of the first fails from some moment on, as that
of a demoted primary does.  Expected with `on_down: close`: its five are closed within interval x
fall + 1 s, as `backend_down`, those of the second are untouched; the same of sessions that are
older than the last reload.  With `{drain: 1s}` they have that much longer.  With `keep`, the
default: all ten go on.
"""

import collections
import time

from kit import limit, only_l4lb, receive_exactly, scaled
from kit.api import Api, rewrite
from kit.ends import await_close, reasons_of
from kit.health import FALL, Doctor, await_health, doctors, every, out_within
from kit.programs import Server, free_port

import pytest

EACH, INTERVAL, DRAIN = 5, 0.2, 1


def redis(stage, folder, host):
    port = free_port()
    server = Server(["redis-server", "--port", str(port), "--bind", host, "--save", "",
                     "--appendonly", "no", "--dir", str(folder), "--protected-mode", "no"], port)
    server.host = host
    return stage.backend(server)


def say(client, command, size):
    client.sendall(command + b"\r\n")
    return receive_exactly(client, size, limit(1))


def serves(client):
    return say(client, b"PING", 7) == b"+PONG\r\n"


def home_of(client):
    """The name of the backend, which is what it holds under that key."""
    return say(client, b"GET name", 8).decode().split()[1]


def begin(stage, way, folder, **options):
    """The daemon, the doctor of the first backend, and the clients by their backend."""
    healers, port = doctors(stage, 2)
    servers = [redis(stage, folder, healer.host) for healer in healers]
    for name, server in zip((b"b1", b"b2"), servers):
        assert say(stage.connect(server), b"SET name " + name, 5) == b"+OK\r\n"
    target = stage.target(way, servers,
                          health_check=every(INTERVAL, port=port, **Doctor.EXPECTS), **options)
    api = Api(target)
    for name in ("b1", "b2"):
        await_health(api, name, "up", limit(1))
    clients = collections.defaultdict(list)
    for _ in range(2 * EACH):
        client = stage.connect(target)
        clients[home_of(client)].append(client)
    assert {name: len(found) for name, found in clients.items()} == {"b1": EACH, "b2": EACH}
    return target, healers[0], clients


def closed_after(healer, clients, within):
    """Makes the check fail; when the first and the last client were closed."""
    healer.well = False
    begun = time.monotonic()
    for client in clients:
        await_close(client, limit(within))
    return time.monotonic() - begun


@pytest.mark.parametrize("reloaded", scaled([True], [False, True]), ids=str)
@only_l4lb
def test_K11_close(stage, way, reloaded, tmp_path):
    target, healer, clients = begin(stage, way, tmp_path, on_down="close")
    if reloaded:
        target.config["pools"][0]["backends"][1]["weight"] = 7
        target.config["pools"][0]["connect_timeout"] = "3s"
        rewrite(target)
        assert Api(target).reload()["changed"]
    closed_after(healer, clients["b1"], INTERVAL * FALL + 1)
    assert set(reasons_of(target, clients["b1"])) == {"backend_down"}
    assert all(serves(client) for client in clients["b2"])
    assert home_of(stage.connect(target)) == "b2"
    stage.close_clients()
    target.expect_reasons(backend_down=EACH, client_fin=EACH + 1)
    target.quiet(rest=False)


@only_l4lb
def test_K11_drain(stage, way, tmp_path):
    target, healer, clients = begin(stage, way, tmp_path, on_down={"drain": f"{DRAIN}s"})
    took = closed_after(healer, clients["b1"], INTERVAL * FALL + DRAIN + 1)
    assert took >= DRAIN + (FALL - 1) * 0.9 * INTERVAL
    assert set(reasons_of(target, clients["b1"])) == {"backend_down"}
    assert all(serves(client) for client in clients["b2"])
    stage.close_clients()
    target.quiet(rest=False)


@only_l4lb
def test_K11_well_again_before_the_end(stage, way, tmp_path):
    target, healer, clients = begin(stage, way, tmp_path, on_down={"drain": "1h"})
    healer.well = False
    api = Api(target)
    await_health(api, "b1", "down", limit(out_within(INTERVAL)))
    assert all(serves(client) for client in clients["b1"])
    healer.well = True
    await_health(api, "b1", "up", limit(out_within(INTERVAL)))
    assert all(serves(client) for client in clients["b1"])
    assert "b1" in {home_of(stage.connect(target)) for _ in range(2 * EACH)}
    stage.close_clients()
    target.quiet(rest=False)


@pytest.mark.parametrize("options", scaled([{}], [{}, {"on_down": "keep"}]), ids=str)
@only_l4lb
def test_K11_keep(stage, way, options, tmp_path):
    target, healer, clients = begin(stage, way, tmp_path, **options)
    healer.well = False
    await_health(Api(target), "b1", "down", limit(out_within(INTERVAL)))
    assert home_of(stage.connect(target)) == "b2"
    time.sleep(2 * INTERVAL)
    assert all(serves(client) for client in clients["b1"] + clients["b2"])
    stage.close_clients()
    target.expect_reasons(client_fin=2 * EACH + 1)
    target.quiet()
