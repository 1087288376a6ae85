# SPDX-License-Identifier: Apache-2.0
"""K09: what clients meet takes a backend out, but never the only one, and never for old errors.

No checks.  Two backends, the second drained by the API; the first one's port is closed for 100 ms
while a client connects, then it is open again; also with an ejection after a single failure.
Expected: clients are served 500 ms later at the latest.

Errors that come one by one, each later than three of them would have to: with `window` 8 s and
`consecutive` 3 one every 5 s (in CI 1 s and 0.6 s).  Expected: never ejected; but at once when they
come together.  Whom three errors have ejected is out for `base`, then for twice as long; at most
`max_ejected` of the backends are; a check that passes brings it back at once.  A reset by the
backend that answers the client's own reset is no error.
"""

import re
import time

from kit import (Echo, Ident, Rster, Script, connect, limit, linger0, only_l4lb, receive, scaled,
                 wait_until)
from kit.api import Api
from kit.ends import refused, visit
from kit.health import changes, every

import pytest

WINDOW, PAUSE = scaled((1.0, 0.6), (8.0, 5.0))
ERRORS = 3
CLOSED, BASE = 0.1, 0.5


def ms(seconds):
    return f"{round(seconds * 1000)}ms"


@pytest.mark.parametrize("eject", [{}, {"consecutive": 1, "max_ejected": "100%"}],
                         ids=["default", "eager"])
@only_l4lb
def test_K09_the_only_one(stage, way, eject):
    backends = [stage.backend(Ident(name=f"b{i}")) for i in (1, 2)]
    options = {"eject": eject} if eject else {}
    target = stage.target(way, backends, retries=0, **options)
    api = Api(target)
    api.post("/v1/pools/default/backends/b2/drain")
    assert visit(target) == "b1"
    backends[0].close_listener()
    assert refused(target.address, limit(1))
    time.sleep(CLOSED)
    stage.backend(Ident(name="b1", port=backends[0].port))
    wait_until(lambda: not refused(target.address, limit(0.5)), limit(0.5), "clients to be served")
    for _ in range(20):
        assert visit(target) == "b1"
        time.sleep(scaled(0.02, 0.1))
    assert api.backends()["b1"]["ejections"] == 0 and changes(target, "b1") == []
    target.quiet(rest=False)


def backends_of(stage, bad, good=3):
    """So many that reset whom they accept, and so many that serve."""
    return ([stage.backend(Rster(name=f"bad{i}")) for i in range(bad)]
            + [stage.backend(Ident(name=f"good{i}")) for i in range(good)])


def attempt(target):
    """The name of the backend that has served a client; "" when it was reset instead."""
    try:
        with connect(target.address) as sock:
            arrival = receive(sock, limit(1), count=len("good0\n"))
    except ConnectionResetError:
        return ""
    assert arrival.end != "open" or arrival.count, "neither served nor closed"
    return arrival.data.decode().strip()


def one_error(target):
    """Clients until one was sent to the bad backend."""
    wait_until(lambda: not attempt(target), limit(1), "an error")


def changed(target, count):
    """What the log says of the bad backend after one more client, from so many lines on."""
    attempt(target)
    found = changes(target, "bad0")
    return found if len(found) >= count else None


def begin(stage, way, bad=1, **eject):
    return stage.target(way, backends_of(stage, bad), eject={
        "consecutive": ERRORS, "rate": "0%", "window": ms(WINDOW), **eject})


@only_l4lb
def test_K09_old_errors(stage, way):
    target = begin(stage, way, base="1h", max="1h")
    api = Api(target)
    for _ in range(ERRORS + 1):
        one_error(target)
        time.sleep(PAUSE)
    bad = api.backends()["bad0"]
    assert (bad["ejections"], bad["early_resets"]) == (0, ERRORS + 1), bad

    def ejected():
        attempt(target)
        bad = api.backends()["bad0"]
        return bad if bad["ejections"] else None
    bad = wait_until(ejected, limit(2), "an ejection")
    assert not bad["takes_sessions"] and 0.85 * 3600e3 <= bad["ejected_left_ms"] <= 1.15 * 3600e3
    assert {attempt(target) for _ in range(20)} == {"good0", "good1", "good2"}
    assert api.backends()["bad0"]["early_resets"] == bad["early_resets"]
    target.quiet(rest=False)


def said(change):
    """The seconds of an ejection, of which the log tells."""
    match = re.fullmatch(rf"for ([\d.]+)(ms|s): {ERRORS} failures in a row", change[1])
    assert change[0] == "ejected" and match, change
    return float(match[1]) / (1000 if match[2] == "ms" else 1)


@only_l4lb
def test_K09_out_and_back(stage, way):
    target = begin(stage, way, base=ms(BASE), window="10s")
    api, lengths, back_at, at_once = Api(target), [], 0, False
    while not at_once:  # Else it has been good for long enough to be forgiven.
        gone, count = time.monotonic(), len(lengths) + 1
        wait_until(lambda: changed(target, 2 * count - 1), limit(2), "an ejection")
        at_once = count > 1 and time.monotonic() - back_at < 1.9 * lengths[-1]
        lengths.append(said(changes(target, "bad0")[2 * count - 2]))
        assert api.backends()["bad0"]["ejections"] == count <= 10
        wait_until(lambda: len(changes(target, "bad0")) == 2 * count, limit(2 * lengths[-1] + 1),
                   "its return")
        back_at = gone + lengths[-1]  # At the earliest.
        assert time.monotonic() >= back_at
    what = [change[0] for change in changes(target, "bad0")]
    assert what == ["ejected", "back"] * count, what
    assert 0.9 * BASE <= lengths[0] <= 1.1 * BASE
    assert 2 * 0.9 / 1.1 <= lengths[-1] / lengths[-2] <= 2 * 1.1 / 0.9, lengths
    counted = {k: v for k, v in api.metrics().items() if "l4lb_backend_ejections_total{" in k}
    assert sum(counted.values()) == count and len(counted) == 4, counted
    target.quiet(rest=False)


@only_l4lb
def test_K09_at_most_so_many(stage, way):
    """Half of the backends are bad; of six 34 % are two."""
    target = begin(stage, way, bad=3, base="1h", max="1h")
    api = Api(target)

    def ejected():
        attempt(target)
        return [name for name, b in api.backends().items() if b["ejections"]]
    wait_until(lambda: len(ejected()) == 2, limit(3), "two ejections")
    for _ in range(30):
        names = ejected()
    assert len(names) == 2 and all(name.startswith("bad") for name in names), names
    assert all(api.backends()[name]["early_resets"] >= ERRORS for name in names)
    target.quiet(rest=False)


@only_l4lb
def test_K09_good_check_ends_it(stage, way):
    well = stage.backend(Echo())
    target = stage.target(way, backends_of(stage, 1), health_check=every(0.5, port=well.port),
                          eject={"consecutive": ERRORS, "base": "1h", "max": "1h"})
    found = wait_until(lambda: changed(target, 2), limit(2), "an ejection, and its end by a check")
    assert [what for what, _ in found[:2]] == ["ejected", "back"] and "check" in found[1][1], found
    target.quiet(rest=False)


def answer_by_reset(sock, _index):
    """A backend that resets when it was reset."""
    try:
        while sock.recv(4096):
            pass
    except ConnectionResetError:
        pass
    linger0(sock)


@only_l4lb
def test_K09_clients_own_resets(stage, way):
    backends = [stage.backend(Script(answer_by_reset, name=f"b{i}")) for i in range(4)]
    target = stage.target(way, backends, eject={"consecutive": 1, "rate": "1%",
                                                "max_ejected": "100%"})
    for _ in range(40):
        client = stage.connect(target)
        client.send(b"x")
        linger0(client)
    wait_until(lambda: target.listener()["active"] == 0, limit(2), "the end of all")
    for name, backend in Api(target).backends().items():
        assert (backend["ejections"], changes(target, name)) == (0, []), backend
    target.quiet()
