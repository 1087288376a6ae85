# SPDX-License-Identifier: Apache-2.0
"""K03: flapping checks neither take a backend out nor flood the log.

Checks every 200 ms, rise 2, fall 3, answered at a port of their own: for 10 s (in CI 2 s) they pass
and fail by turns, then they fail, then they pass.  Expected: no change while they take turns, and
clients are served; down with the third failure in a row (600 to 900 ms after the last good one), up
with the second good one, and one line in the log for each of the two.
"""

import time

from kit import Ident, limit, only_l4lb, scaled, wait_until
from kit.api import Api
from kit.ends import refused, visit
from kit.health import FALL, RISE, Doctor, await_health, changes, every

SECONDS, INTERVAL = scaled(2, 10), 0.2


def run_at_the_end(doctor, well):
    """The checks that it answered like that one after the other, up to now; the first of them."""
    told = list(doctor.told)
    begin = len(told)
    while begin and told[begin - 1][1] is well:
        begin -= 1
    return told[begin:]


@only_l4lb
def test_K03_flapping(stage, way):
    doctor, backend = stage.backend(Doctor()), stage.backend(Ident(name="b"))
    target = stage.target(way, [backend],
                          health_check=every(INTERVAL, port=doctor.port, **Doctor.EXPECTS))
    api = Api(target)
    await_health(api, "b", "up", limit(2 * INTERVAL))
    lines = len(target.stderr)

    first = doctor.accepted
    doctor.well = lambda index: (index - first) % 2 == 1
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        assert visit(target) == "b"
        time.sleep(INTERVAL / 2)
    assert changes(target, "b", lines) == []
    asked = doctor.accepted - first
    assert asked >= SECONDS / INTERVAL / 3, "too few checks to tell"

    wait_until(lambda: doctor.told[-1][1], limit(1), "a good check to be the last one")
    doctor.well = False
    down = wait_until(lambda: changes(target, "b", lines), limit(0.9) + INTERVAL, "it to be down")
    failures = run_at_the_end(doctor, False)
    assert time.monotonic() - failures[0][0] <= limit(0.9)
    assert failures[FALL - 1][0] - failures[0][0] >= (FALL - 1) * 0.9 * INTERVAL
    assert [what for what, _ in down] == ["down"] and f"{FALL} checks failed" in down[0][1], down
    assert refused(target.address, limit(0.1))
    wait_until(lambda: len(run_at_the_end(doctor, False)) >= 2 * FALL, limit(2), "more failures")

    doctor.well = True
    await_health(api, "b", "up", limit(RISE * INTERVAL + 0.3))
    assert len(run_at_the_end(doctor, True)) >= RISE
    assert visit(target) == "b"
    time.sleep(2 * INTERVAL)
    up = changes(target, "b", lines)
    assert [what for what, _ in up] == ["down", "up"] and f"{RISE} checks passed" in up[1][1], up
    assert api.backends()["b"]["check"]["last_passed"]
    target.quiet(rest=False)
