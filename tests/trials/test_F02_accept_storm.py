# SPDX-License-Identifier: Apache-2.0
"""F02: a storm of new connections while the engine is busy with other bytes.

One client streams without pause, so that every turn has bytes to move; meanwhile 20,000 short
connections, 64 at a time, send 64 bytes, read them back and close.  Expected: 20,000 of 20,000 have
their bytes, every one within 1 s of its connect, and nothing is left behind.  An accepted number
that is not (any more) a socket shows as a connection that fails or hangs.
"""

from kit import each_way, limit, wait_until
from kit.load import Load, Served, run_load

CONNECTIONS = 20_000
AT_A_TIME = 64


@each_way
def test_F02_accept_storm(stage, way):
    backend = stage.backend(Served("ask"))
    target = stage.target(way, [backend])
    stream = Load("bulk", target, "--ask", "--verify", "--direction=both", "--streams=1",
                  "--duration=60s")
    stage.keep(stream, stream.stop)
    storm = run_load("connect", target, "--ask", "--verify", f"--concurrency={AT_A_TIME}",
                     f"--count={CONNECTIONS}", "--sources=16", within=60)
    assert storm["operations"] == CONNECTIONS
    assert storm["latency_us"]["max"] <= limit(1) * 1e6
    streamed = stream.finish(within=10)
    assert streamed["bytes_up"] > 1 << 20 and streamed["bytes_down"] > 1 << 20
    if target.is_l4lb:
        wait_until(lambda: target.listener()["closed"] == CONNECTIONS + 1, limit(1), "their ends")
        assert target.listener()["closed_by_reason"]["backend_fin"] == CONNECTIONS
    target.quiet()
