# SPDX-License-Identifier: Apache-2.0
"""M06: WebSocket through the balancer, two echo servers by python3-websockets.

200 clients (in CI 40) send messages of 1 to 70,000 bytes, 1,000 in all, each as soon as the one
before is back, and close with code 1000.  20 clients are idle for 30 s (in CI 3 s) but for a ping
every 5 s (1 s), with an idle time-out of 10 s (2 s).  Expected: every message comes back as it was,
every close code is 1000, and the idle ones live.
"""

import asyncio
import pathlib
import random

import websockets

from kit import each_engine, each_way, limit, scaled
from kit.programs import Server, free_port

SERVER = pathlib.Path(__file__).parent / "kit/websocket_echo.py"
CLIENTS, MESSAGES = scaled(40, 200), 1000
IDLE, PING, SILENCE, TIMEOUT = 20, scaled(1, 5), scaled(3, 30), scaled(2, 10)


def servers(stage):
    ports = [free_port() for _ in range(2)]
    return [stage.backend(Server(["/usr/bin/python3", str(SERVER), str(port)], port))
            for port in ports]


def open_one(target):
    host, port = target.address
    return websockets.connect(f"ws://{host}:{port}/", compression=None, ping_interval=None,
                              open_timeout=limit(5), close_timeout=limit(2))


async def talk(target, number):
    """One client's messages; returns its close code."""
    chance = random.Random(number)
    async with open_one(target) as connection:
        for _ in range(MESSAGES // CLIENTS):
            message = chance.randbytes(chance.randint(1, 70_000))
            await connection.send(message)
            assert await asyncio.wait_for(connection.recv(), limit(2)) == message
    return connection.close_code


async def stay(target):
    """One client that only pings."""
    async with open_one(target) as connection:
        for _ in range(SILENCE // PING):
            await asyncio.sleep(PING)
            await asyncio.wait_for(await connection.ping(), limit(1))
        await connection.send("still here")
        assert await connection.recv() == "still here"
    return connection.close_code


async def everybody(coroutines):
    return await asyncio.gather(*coroutines)


@each_way
def test_websocket_messages(stage, way):
    target = stage.target(way, servers(stage))
    codes = asyncio.run(everybody([talk(target, n) for n in range(CLIENTS)]))
    assert codes == [1000] * CLIENTS
    target.quiet()


@each_engine
def test_websocket_idle(stage, way):
    target = stage.target(way, servers(stage), idle_timeout=f"{TIMEOUT}s")
    codes = asyncio.run(everybody([stay(target) for _ in range(IDLE)]))
    assert codes == [1000] * IDLE
    target.quiet()
