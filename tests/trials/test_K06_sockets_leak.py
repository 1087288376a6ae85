# SPDX-License-Identifier: Apache-2.0
"""K06: checks of a backend that never answers do not pile up sockets.

Backends that accept and do nothing else; checks every 300 ms with as long to answer, for 30 s (in
CI 3 s), of each type at once.  (The configuration refuses a time-out longer than the interval.)
Expected: at no time has the daemon more than 4 sockets to one of them; nothing is left in the end.
"""

import time

from kit import Stall, kernel_sockets, limit, only_l4lb, scaled, wait_until
from kit.api import Api, rewrite
from kit.configuration import members
from kit.health import every

SECONDS, INTERVAL, MOST = scaled(3, 30), 0.3, 4
CHECKS = {"tcp": every(INTERVAL), "http": every(INTERVAL, "http"),
          "send_expect": every(INTERVAL, "send_expect", send="ask\r\n", expect="answer")}


def held(backend):
    """Sockets to it that a process still has: that is the daemon."""
    return sum(not sock.orphaned and sock.state != "TIME_WAIT"
               for sock in kernel_sockets(remote_port=backend.port))


def health(api, kind):
    return api.backends(kind)["b1"]["check"]["health"]


@only_l4lb
def test_K06_sockets_leak(stage, way):
    backends = {kind: stage.backend(Stall(forked=True)) for kind in CHECKS}
    target = stage.target(
        way, [], listeners=[{"name": "default", "bind": ["127.0.0.1:0"], "pool": "tcp"}],
        pools=[{"name": kind, "policy": "round_robin", "health_check": CHECKS[kind],
                "backends": members([backend])} for kind, backend in backends.items()])
    until, most = time.monotonic() + SECONDS, dict.fromkeys(CHECKS, 0)
    while time.monotonic() < until:
        for kind, backend in backends.items():
            most[kind] = max(most[kind], held(backend))
        time.sleep(0.01)
    asked = {kind: backend.accepted for kind, backend in backends.items()}
    print(f"at most so many sockets at a time: {most}; checks: {asked}")
    assert max(most.values()) <= MOST
    assert min(asked.values()) >= SECONDS / INTERVAL / 3
    # A port that is open is all that `tcp` asks for.
    api = Api(target)
    assert {kind: health(api, kind) for kind in CHECKS} == {
        "tcp": "up", "http": "down", "send_expect": "down"}

    for pool in target.config["pools"]:
        del pool["health_check"]
    rewrite(target)
    api.reload()
    assert {health(api, kind) for kind in CHECKS} == {"unchecked"}
    wait_until(lambda: not any(map(held, backends.values())), limit(0.5),
               "the last checks' sockets to be closed")
    target.quiet()
