# SPDX-License-Identifier: Apache-2.0
"""E09: few long connections must not all land on one worker.

2 workers; 40 long connections opened 50 ms apart (in CI 10 ms), each echoing 4 KiB over and over; 3
times, since chance may be fair once.  Expected: never more than 1.2 connections on one worker for
each on the other, the gauges sum up to 40, and what one gave the other took.  Then 2 connections on
2 workers: one each, 20 times (in CI 10).
"""

import threading
import time

from kit import Echo, limit, only_l4lb, receive_exactly, scaled, send, wait_until
from kit.ends import echoes

CLIENTS, APART = 40, scaled(0.01, 0.05)
ROUNDS = 3
PAIRS = scaled(10, 20)
MESSAGE = bytes(range(256)) * 16


def per_worker(target):
    return [worker["sessions"] for worker in target.stats()["workers"]]


def echo_until(sock, end, failures):
    try:
        while not end.is_set():
            send(sock, MESSAGE, limit(1))
            assert receive_exactly(sock, len(MESSAGE), limit(1)) == MESSAGE
            time.sleep(0.02)
    except (OSError, AssertionError) as error:
        failures.append(error)


def loads_of_forty(stage, target):
    """The sessions of each worker while all clients are at it."""
    end, failures, threads = threading.Event(), [], []
    for _ in range(CLIENTS):
        sock = stage.connect(target)
        threads.append(threading.Thread(target=echo_until, args=(sock, end, failures)))
        threads[-1].start()
        time.sleep(APART)
    wait_until(lambda: sum(per_worker(target)) == CLIENTS, limit(1), "all sessions")
    loads = per_worker(target)
    end.set()
    for thread in threads:
        thread.join()
    assert not failures, failures
    target.expect_reasons()
    stage.close_clients()
    return loads


@only_l4lb
def test_E09_forty(stage, way):
    for _ in range(ROUNDS):
        target = stage.target(way, [stage.backend(Echo(forked=True))], workers=2)
        loads = loads_of_forty(stage, target)
        assert max(loads) <= 1.2 * min(loads), loads
        workers = target.stats()["workers"]
        assert sum(w["handed_over"] for w in workers) == sum(w["taken_over"] for w in workers)
        target.quiet()


@only_l4lb
def test_E09_two(stage, way):
    target = stage.target(way, [stage.backend(Echo(forked=True))], workers=2)
    for _ in range(PAIRS):
        pair = [stage.connect(target) for _ in range(2)]
        assert all(echoes(sock) for sock in pair)
        assert per_worker(target) == [1, 1]
        stage.close_clients()
        wait_until(lambda: per_worker(target) == [0, 0], limit(1), "the end of both")
    target.quiet()
