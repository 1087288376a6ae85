# SPDX-License-Identifier: Apache-2.0
"""B07: the backend is killed in the middle of an upload.

The client uploads at 1 MiB/s and the backend dies by SIGKILL after 2 s (CI: 0.5 s). A balancer
that goes on taking bytes pretends success. Expected: an error or the end at the client within 1 s
of the kill, and a close reason that counts as a failure: backend_reset.
"""

import time

from kit import Sink, each_way, limit, pattern, scaled, send


def upload(client, until):
    """Sends 1 MiB/s until `until` or an error; returns whether there was one."""
    offset = 0
    while time.monotonic() < until:
        try:
            send(client, pattern(1).at(offset, 10486), limit(1))
        except (BrokenPipeError, ConnectionResetError):
            return True
        offset += 10486
        time.sleep(0.01)
    return False


@each_way
def test_B07_backend_killed(stage, way):
    backend = stage.backend(Sink(forked=True))
    target = stage.target(way, [backend])
    client = stage.connect(target)
    assert not upload(client, time.monotonic() + scaled(0.5, 2))
    backend.kill()
    assert upload(client, time.monotonic() + limit(1))
    target.expect_reasons(backend_reset=1)
    client.close()
    target.quiet()
