# SPDX-License-Identifier: Apache-2.0
"""L01x: no connection is lost while all that it could go to is replaced.

New connections without pause, 16 at a time; 30 reloads, of which each replaces every backend of the
pool by others, and every second also gives the listener another pool and takes the old one out.
Expected: none refused, reset or wrong: at any moment a new session finds the old backends or the
new ones.
"""

import copy
import time

from kit import limit, only_l4lb, scaled
from kit.api import Api, rewrite
from kit.configuration import members
from kit.load import Load, Served

RELOADS, EACH_S = 30, scaled(0.1, 0.5)


def variant(config, number, backends):
    config = copy.deepcopy(config)
    pool, listener = config["pools"][0], config["listeners"][0]
    pool["backends"] = members(backends[:2] if number % 2 else backends[2:])
    pool["name"] = listener["pool"] = f"pool{number // 2 % 2}"
    return config


@only_l4lb
def test_L01x_replace_all(stage, way):
    answers = [stage.backend(Served("ask", name=f"s{i}")) for i in range(4)]
    target = stage.target(way, answers, access_log=False)
    api = Api(target)
    load = Load("connect", target, "--ask", "--verify", "--concurrency=16", "--linger_reset",
                "--close=client", "--duration=120s", "--warmup=0s")
    stage.keep(load, load.stop)
    time.sleep(0.3)
    for number in range(1, RELOADS + 1):
        rewrite(target, variant(target.config, number, answers))
        assert api.reload()["changed"]
        time.sleep(EACH_S)
    figures = load.finish(limit(5))
    print(figures)
    assert figures["operations"] > 1000, figures
    closed = target.listener("default")["closed_by_reason"]
    assert {reason for reason, count in closed.items() if count} <= {"client_reset", "client_fin"}
    target.quiet()
