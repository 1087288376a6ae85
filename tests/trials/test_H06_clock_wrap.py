# SPDX-License-Identifier: Apache-2.0
"""H06: timers across the point where a 32-bit clock of milliseconds wraps, after 49.7 days.

The daemon runs in a time namespace whose CLOCK_MONOTONIC reaches 2^32 ms some seconds after the
start. 50 connections fall idle before the wrap, 50 more after it; idle time-out 3 s.  Expected:
each is closed 3 to 3.6 s after its last byte, and the loop rests afterwards.
"""

import time

from kit import Echo, limit, together
from kit.ends import await_close, echoes
from kit.stage import ENGINES

import pytest

EACH = 50
IDLE = 3
BEFORE_WRAP = 1.5  # Seconds from the start to the wrap, at least; at most 1 s more.


def at_the_wrap():
    """A wrapper that makes the clock reach 2^32 ms soon, and when on our clock that will be.  It is
    root of its own user namespace only."""
    offset = int(2**32 / 1000 - BEFORE_WRAP - time.monotonic())
    wrapper = ["unshare", "--map-root-user", "--time", "--monotonic", str(offset), "--"]
    return wrapper, 2**32 / 1000 - offset


@pytest.mark.parametrize("way", ENGINES)
def test_H06_clock_wrap(stage, way):
    wrapper, wrap = at_the_wrap()
    target = stage.target(way, [stage.backend(Echo())], idle_timeout=f"{IDLE}s",
                          wrapper=wrapper)
    before = [stage.connect(target) for _ in range(EACH)]
    assert time.monotonic() < wrap, "the start took too long to tell"

    def silence(client):
        begin = time.monotonic()
        assert echoes(client, within=limit(1))
        await_close(client, within=limit(IDLE + 0.6))
        return time.monotonic() - begin

    took = together(EACH, EACH, lambda i: silence(before[i]))
    assert time.monotonic() > wrap
    after = [stage.connect(target) for _ in range(EACH)]
    took += together(EACH, EACH, lambda i: silence(after[i]))
    assert IDLE - 0.02 <= min(took) and max(took) <= limit(IDLE + 0.6)  # The last byte came after.
    target.expect_reasons(idle_timeout=2 * EACH)
    for client in before + after:
        client.close()
    target.quiet()
