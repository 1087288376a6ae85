# SPDX-License-Identifier: Apache-2.0
"""M07: HTTP/1.0 clients that shut down their writing right after the request.

`python3 -m http.server` with a file of 5 MiB; `printf 'GET /f HTTP/1.0\\r\\n\\r\\n' | nc -N HOST
PORT` and busybox wget.  50 times (in CI 10).  Expected: the same number of bytes as without a
balancer, always.
"""

import subprocess

from kit import each_way, limit, scaled, together
from kit.programs import Server, free_port

SIZE = 5 << 20
TIMES = scaled(10, 50)


def with_nc(address):
    run = subprocess.run(["nc", "-N", *map(str, address)], input=b"GET /f HTTP/1.0\r\n\r\n",
                         capture_output=True, timeout=limit(10), check=True)
    head, body = run.stdout.split(b"\r\n\r\n", 1)
    assert b" 200 " in head.split(b"\r\n")[0]
    return body


def with_wget(address):
    url = "http://{}:{}/f".format(*address)
    run = subprocess.run(["busybox", "wget", "-q", "-O", "-", url], capture_output=True,
                         timeout=limit(10), check=True)
    return run.stdout


@each_way
def test_M07_http10(stage, way, tmp_path):
    content = bytes(range(251)) * (SIZE // 251 + 1)
    (tmp_path / "f").write_bytes(content[:SIZE])
    port = free_port()
    server = stage.backend(Server(
        ["/usr/bin/python3", "-m", "http.server", "-b", "127.0.0.1", "-d", str(tmp_path),
         str(port)], port))
    target = stage.target(way, [server])
    for get in (with_nc, with_wget):
        bodies = together(TIMES, 2, lambda _, get=get: get(target.address))
        assert [len(body) for body in bodies] == [SIZE] * TIMES
        assert all(body == content[:SIZE] for body in bodies)
    target.quiet()
