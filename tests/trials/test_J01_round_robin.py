# SPDX-License-Identifier: Apache-2.0
"""J01: round robin is even, also over several workers and after updates.

Four backends, 1 and 2 workers; 400 connections one after the other.  Expected: 100 at each; with 2
workers, which take turns independently of each other, 100 +- 2.

Then 60 connections, one each 0.5 s (in CI 0.05 s), while every 0.4 s (0.04 s) the same
configuration, the same weight, and a configuration that differs in a time-out are applied in turn.
Expected: 15 +- 3 at each.
"""

import collections
import itertools
import threading
import time

import pytest

from kit import Ident, each_engine, only_l4lb, scaled
from kit.api import Api, rewrite
from kit.ends import visit

CONNECTIONS = 400
UPDATED, EACH_S, UPDATES_S = 60, scaled(0.05, 0.5), scaled(0.04, 0.4)


@pytest.mark.parametrize("workers, slack", [(1, 0), (2, 2)])
@each_engine
def test_J01_round_robin(stage, way, workers, slack):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(4)]
    target = stage.target(way, backends, workers=workers)
    visits = collections.Counter(visit(target) for _ in range(CONNECTIONS))
    assert all(abs(visits[b.name] - CONNECTIONS / 4) <= slack for b in backends), visits
    target.expect_reasons(client_fin=CONNECTIONS)
    target.quiet()


def update(target, api, number):
    """Applies what is in force already, or next to it."""
    if number % 3 == 0:
        assert api.reload()["changed"] is False
    elif number % 3 == 1:
        api.patch("/v1/pools/default/backends/b1", {"weight": 1})
    else:
        target.config["pools"][0]["connect_timeout"] = f"{number + 5}s"
        rewrite(target)
        assert api.reload()["changed"] is True


@pytest.mark.parametrize("workers", [1, 2])
@only_l4lb
def test_J01_updates(stage, way, workers):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in range(4)]
    target = stage.target(way, backends, workers=workers)
    api, end, failures = Api(target), threading.Event(), []

    def keep_updating():
        try:
            for number in itertools.count():
                if end.wait(UPDATES_S):
                    return
                update(target, api, number)
        except Exception as error:  # pylint: disable=broad-except
            failures.append(error)

    updater = threading.Thread(target=keep_updating)
    updater.start()
    visits = collections.Counter()
    for _ in range(UPDATED):
        visits[visit(target)] += 1
        time.sleep(EACH_S)
    end.set()
    updater.join()
    assert not failures, failures
    assert api.get("/v1/status")["config"]["reloads"] >= 3
    assert all(abs(visits[b.name] - UPDATED / 4) <= 3 for b in backends), visits
    target.quiet()
