# SPDX-License-Identifier: Apache-2.0
"""A WebSocket echo server, by Debian's python3-websockets.  Run by programs_websocket.py:

    /usr/bin/python3 websocket_echo.py PORT
"""

import asyncio
import sys

import websockets


async def echo(connection):
    async for message in connection:
        await connection.send(message)


async def main():
    async with websockets.serve(echo, "127.0.0.1", int(sys.argv[1]), compression=None,
                                ping_interval=None, backlog=1024):
        await asyncio.Future()


if __name__ == "__main__":
    asyncio.run(main())
