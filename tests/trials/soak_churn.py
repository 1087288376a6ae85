# SPDX-License-Identifier: Apache-2.0
"""Soak: nothing leaks, and the counters add up, after any length of bad behaviour.

Two backends behind the daemon; toward it sessions that reset, half-close, stall, read slowly and
come again (`l4lb-load churn`, every byte checked), messages on lasting connections (`echo`), and
bulk both ways.  Meanwhile one of these programs at a time, a backend or a crowd of clients, is
stopped for up to 0.7 s.  That goes on in phases; between them everybody leaves, and then the daemon
must be as it was: no session, no descriptor, buffer or pipe in use; the counters add up, in
themselves and with what the clients counted; and its memory has stopped to grow.

For one half of the time bulk is spliced; for the other, in a network of its own, there are no pipes,
few buffers, and little room in the sockets, so that pumps have to wait for a buffer.

    L4LB_ENGINES=io_uring python3 -m pytest -s soak_churn.py --duration=20m [--seed=N]
"""

import random
import signal
import threading
import time

from kit import limit, only_l4lb, wait_until
from kit.load import Load, Served
from kit.namespace import in_namespace, shrink_socket_buffers
from kit.seccomp import without

import pytest

CROWD, MESSAGES, STREAMS = 150, 50, 40
PHASES, SHORTEST = 10, 5  # So many, as long as each has so many seconds.
# A client that goes while its backend waits for it to read leaves a backend that does not read
# either: what it is still to get, and its session, stay so long.
HALF_CLOSED = 10
WARM_UP = 2               # Phases; what the daemon has taken by then, it keeps.
GROWTH = 1 << 20          # Bytes, of all later phases together.
PATIENCE = 90             # Seconds: on a busy machine gigabytes may still be on their way.


class Weather(threading.Thread):
    """Stops one of `programs` for a while, again and again, until clear()."""

    def __init__(self, programs, chance):
        super().__init__(daemon=True)
        self._programs, self._chance, self._over = programs, chance, threading.Event()
        self.stops = 0
        self.start()

    def run(self):
        while not self._over.wait(self._chance.uniform(0.1, 0.8)):
            program = self._chance.choice(self._programs)
            program.signal(signal.SIGSTOP)
            self._over.wait(self._chance.uniform(0.02, 0.7))
            program.signal(signal.SIGCONT)
            self.stops += 1

    def clear(self):
        self._over.set()
        self.join()


def phase(stage, target, backends, seconds, chance):
    """One crowd comes, misbehaves and leaves; returns what it counted."""
    loads = {}
    for work, flags in (
            ("churn", [f"--connections={CROWD}", f"--seed={chance.randrange(1 << 32)}",
                       "--sources=8"]),
            ("echo", [f"--connections={MESSAGES}", "--size=3KiB", "--verify"]),
            ("bulk", [f"--streams={STREAMS}", "--direction=both", "--verify"])):
        loads[work] = Load(work, target, "--ask", f"--duration={round(seconds * 1000)}ms",
                           "--grace=60s", *flags)
        stage.keep(loads[work], loads[work].stop)
    weather = Weather([*backends, *loads.values()], chance)
    time.sleep(seconds)
    weather.clear()
    try:
        figures = {work: load.result(PATIENCE) for work, load in loads.items()}
    except AssertionError as error:
        raise AssertionError(f"{error}\nthe daemon: {target.stats()}") from error
    assert min(figures["churn"]["ends"].values()) > 0, figures["churn"]["ends"]
    assert weather.stops > 0
    return figures


def sessions(figures):
    """How many the clients had."""
    return sum(figures["churn"]["ends"].values()) + MESSAGES + STREAMS


def totals(target):
    """Of the workers' counters those that are told."""
    workers = target.stats()["workers"]
    return {counter: sum(worker[counter] for worker in workers)
            for counter in ("spliced_bytes", "copied_bytes", "buffer_waits", "handed_over")}


def tell(number, figures, target, rss):
    print(f"phase {number}: {sessions(figures)} sessions, ends {figures['churn']['ends']}, "
          f"{figures['echo']['operations']} messages; so far {totals(target)}; "
          f"RSS {rss >> 10} KiB, {target.fds()} descriptors", flush=True)


def soak(stage, way, config, **options):
    """Half of the time; returns the totals of the workers' counters."""
    duration, seed = config.getoption("duration") / 2, config.getoption("seed")
    print(f"\nsoak of {duration:.0f} s over {way}, --seed={seed}")
    chance = random.Random(seed)
    backends = [stage.backend(Served("ask", name)) for name in ("one", "two")]
    target = stage.target(way, backends, access_log=False, half_close_timeout=f"{HALF_CLOSED}s",
                          **options)
    count = int(max(WARM_UP + 1, min(PHASES, duration // SHORTEST)))
    memory, expected = [], 0
    for number in range(count):
        figures = phase(stage, target, backends, duration / count, chance)
        expected += sessions(figures)
        wait_until(lambda: target.listener()["active"] == 0, limit(2) + 2 * HALF_CLOSED,
                   f"everybody to leave, --seed={seed}")
        target.quiet()
        memory.append(target.rss())
        tell(number, figures, target, memory[-1])
        assert target.listener()["accepted"] == expected, f"{target.listener()}, --seed={seed}"
    grown = memory[-1] - memory[WARM_UP - 1]
    assert target.sanitized or grown <= GROWTH, f"{grown} bytes more, {memory}, --seed={seed}"
    return totals(target)


@only_l4lb
def test_soak_splice(stage, way, pytestconfig):
    # So few that all have been in use once the daemon is warm, as long as it keeps them.
    total = soak(stage, way, pytestconfig, buffers={"size": "16KiB", "count": 128})
    assert total["spliced_bytes"] > 1 << 30, total


@only_l4lb
@in_namespace
def test_soak_copy(stage, way, pytestconfig):
    try:
        shrink_socket_buffers(65536)
    except OSError as error:
        pytest.skip(f"no socket buffers of its own: {error}")
    total = soak(stage, way, pytestconfig, wrapper=without("pipes"),
                 buffers={"size": "4KiB", "count": 16})
    assert total["spliced_bytes"] == 0 and total["buffer_waits"] > 0, total
