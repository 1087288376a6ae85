# SPDX-License-Identifier: Apache-2.0
"""K06: checks of a backend that never answers do not pile up sockets.

Backends that accept and do nothing else; checks every 100 ms with 300 ms to answer, for 30 s (in CI
3 s), of each type at once.  Expected: at no time has the daemon more than 4 sockets to one of them; nothing is left in the end.
"""

import time

from kit import Stall, kernel_sockets, limit, only_l4lb, scaled, wait_until
from kit.api import Api, rewrite
from kit.configuration import members
from kit.health import every

SECONDS, INTERVAL, TIMEOUT, MOST = scaled(3, 30), 0.1, 0.3, 4
SLOW = {"timeout": f"{TIMEOUT * 1000:.0f}ms"}
CHECKS = {"tcp": every(INTERVAL, **SLOW), "http": every(INTERVAL, "http", **SLOW),
          "send_expect": every(INTERVAL, "send_expect", send="ask\r\n", expect="answer", **SLOW)}


def held(backend):
    """Sockets to it that a process still has: that is the daemon."""
    return [sock for sock in kernel_sockets(remote_port=backend.port)
            if not sock.orphaned and sock.state != "TIME_WAIT"]


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
            most[kind] = max(most[kind], len(held(backend)))
        time.sleep(0.01)
    asked = {kind: backend.accepted for kind, backend in backends.items()}
    print(f"at most so many sockets at a time: {most}; checks: {asked}")
    assert max(most.values()) <= MOST
    assert min(asked.values()) >= SECONDS / TIMEOUT / 3
    # A port that is open is all that `tcp` asks for.
    api = Api(target)
    assert {kind: health(api, kind) for kind in CHECKS} == {
        "tcp": "up", "http": "down", "send_expect": "down"}

    for pool in target.config["pools"]:
        del pool["health_check"]
    rewrite(target)
    api.reload()
    assert {health(api, kind) for kind in CHECKS} == {"unchecked"}
    left = lambda: [sock for backend in backends.values() for sock in held(backend)]
    try:
        wait_until(lambda: not left(), limit(0.5), "the last checks' sockets to be closed")
    except AssertionError as error:
        raise AssertionError(f"{error}: {left()}") from error
    target.quiet()
