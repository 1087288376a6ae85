# SPDX-License-Identifier: Apache-2.0
"""F09: a fast stop under load ends, and touches nothing that is gone.

500 connections in full flow (messages, bulk both ways, sessions that come and go); then SIGTERM
twice, which closes everything at once; 20 times (CI: once in every build, that with sanitizers
too).  Expected: exit status 0 within 5 s each time, and no sanitizer report.
"""

import signal
import time

from kit import each_engine, limit, scaled, wait_until
from kit.load import Load, Served

import pytest

TIMES = scaled(1, 20)
ACTIVE = 500


@pytest.mark.parametrize("number", range(TIMES))
@each_engine
def test_F09_stop_under_load(stage, way, number):
    target = stage.target(way, [stage.backend(Served("ask"))])
    for work, flags in (("echo", ["--connections=380"]),
                        ("bulk", ["--streams=20", "--direction=both"]),
                        ("churn", ["--connections=150", f"--seed={number}"])):
        load = Load(work, target, "--ask", "--duration=60s", *flags)
        stage.keep(load, load.stop)
    wait_until(lambda: target.listener()["active"] >= ACTIVE, limit(2), "the load")
    time.sleep(0.2)
    begin = time.monotonic()
    target.signal(signal.SIGTERM)
    target.signal(signal.SIGTERM)
    assert target.wait(limit(5)) == 0
    assert time.monotonic() - begin <= limit(5)
