# SPDX-License-Identifier: Apache-2.0
"""F05: more connections have bytes than there are buffers.

The smallest pool that the configuration allows: 16 buffers of 4 KiB for each worker; and no pipes,
which would be in their place.  500 clients send 256 KiB each at the same
moment to sinks that pause for 2 s first.  An engine whose reads end for want of a buffer may stall,
drop or spin.  Expected: while the sinks pause the daemon rests (strictly: at most 20 % of a core);
afterwards all 500 times 256 KiB arrive within 5 s, in order, with a clean end.  Once with sockets as
they are, which have room for all of it in the kernel; and once in a network of its own whose
sockets hold little, where all buffers must be in use meanwhile.
"""

import signal
import time

from kit import STRICT, each_way, limit
from kit.configuration import WORKERS
from kit.load import Load, Served
from kit.namespace import in_namespace, shrink_socket_buffers
from kit.seccomp import without

import pytest

CLIENTS = 500
PAUSE = 2
SMALL = 16384  # Bytes in a socket's buffers.
BUFFERS = 16


def check_pause(target, exhausted):
    """Nothing spins, although pumps wait; for buffers when `exhausted`.  A timer of every session
    may fire."""
    time.sleep(PAUSE / 2)
    before = target.stats()["workers"]
    if exhausted:
        assert sum(worker["buffers_in_use"] for worker in before) == WORKERS * BUFFERS
        assert min(worker["buffer_waits"] for worker in before) > 0
    cpu = target.cpu(PAUSE / 2)
    assert not STRICT or cpu <= 20
    turned = sum(b["turns"] - a["turns"] for a, b in zip(before, target.stats()["workers"]))
    assert turned <= CLIENTS, f"{turned} turns in a second with nothing to do"


def run(stage, way, exhausted):
    backend = stage.backend(Served("ask"))
    target = stage.target(way, [backend], wrapper=without("pipes"),
                          buffers={"size": "4KiB", "count": BUFFERS})
    backend.signal(signal.SIGSTOP)
    load = Load("bulk", target, "--ask", "--verify", "--direction=up", f"--streams={CLIENTS}",
                "--bytes=256KiB")
    stage.keep(load, load.stop)
    if target.is_l4lb:
        check_pause(target, exhausted)
    else:
        time.sleep(PAUSE)
    backend.signal(signal.SIGCONT)
    assert load.result(within=5)["operations"] == CLIENTS
    target.expect_reasons(client_fin=CLIENTS)
    target.quiet()


@each_way
def test_F05_buffers_exhausted(stage, way):
    run(stage, way, exhausted=False)


@each_way
@in_namespace
def test_F05_small_sockets(stage, way):
    try:
        shrink_socket_buffers(SMALL)
    except OSError as error:
        pytest.skip(f"no socket buffers of its own: {error}")
    run(stage, way, exhausted=True)
