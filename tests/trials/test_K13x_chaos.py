# SPDX-License-Identifier: Apache-2.0
"""K13x: backends that are killed, stopped, paused and restarted at random, under load.

Four echo servers, each a process; checks that ask for an echo every 200 ms; `on_down: close`.  For
8 s (L4LB_CHAOS, 60 s in the long run) clients come steadily and stay up to 1 s, while the servers
are killed, ended, paused (SIGSTOP) and restarted at random, for a moment or until they are out,
never more than two at a time.  Expected:

* every client that was let down finds its session in the access log, with a reason that says so,
  and at a backend that was not well at that moment; nobody else is let down, and nobody is kept
  waiting;
* since two are always well, no client fails to get a connection;
* who is dead is out within interval x fall + time-out, and back in once it serves again.

The seed is printed; L4LB_SEED=N repeats what is done to the servers, and when.
"""

import collections
import os
import random
import signal
import threading
import time
from dataclasses import dataclass

from kit import limit, only_l4lb, scaled
from kit.api import Api
from kit.arrivals import Arrivals, Plan
from kit.health import RISE, await_health, every, out_within
from kit.load import Served

SECONDS = int(os.environ.get("L4LB_CHAOS", "8"))
SEED = int(os.environ.get("L4LB_SEED", random.SystemRandom().randrange(1 << 32)))
SERVERS, AT_A_TIME, INTERVAL, A_SECOND = 4, 2, 0.2, scaled(60, 100)
PAUSE = (0.1, 1.5)   # Seconds between two misfortunes of a server.
MOMENT = (0.02, 0.3)  # How long a short one takes.
STAY = (0, 1)
BLAME = {"backend_fin", "backend_reset", "backend_lost", "backend_down"}
CLOCK = 0.2  # Between what this process and the daemon call the same moment.


@dataclass
class Trouble:
    """Of one server: from the moment it was not well until it is known to be well again."""

    server: str
    kind: str
    begin: float
    end: float = float("inf")
    out_after: float = None  # Seconds, of those that last.


class Fate(threading.Thread):
    """What happens to one server, until `over` is set, and then it is well; `error` is what went
    wrong.  The server ends with the thread that has started it: not before release()."""

    def __init__(self, server, api, seats, over):
        super().__init__(daemon=True)
        self._server, self._api, self._seats, self._over = server, api, seats, over
        self._chance = random.Random(f"{SEED} {server.name}")
        self._done, self._released = threading.Event(), threading.Event()
        self.troubles, self.error = [], None
        self.start()

    def run(self):
        try:
            while not self._over.wait(self._chance.uniform(*PAUSE)):
                with self._seats:
                    if not self._over.is_set():
                        self._misfortune()
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error
        self._done.set()
        self._released.wait()

    def wait(self):
        self._done.wait()

    def release(self):
        self._released.set()
        self.join()

    def _misfortune(self):
        kind = self._chance.choice(["kill", "stop", "pause", "restart"])
        lasts = kind != "restart" and self._chance.random() < 0.6
        moment = self._chance.uniform(*MOMENT)
        trouble = Trouble(self._server.name, kind, time.monotonic())
        self.troubles.append(trouble)
        self._begin(kind)
        if lasts:
            await_health(self._api, self._server.name, "down", limit(out_within(INTERVAL)))
            trouble.out_after = time.monotonic() - trouble.begin
        elif kind != "restart":
            time.sleep(moment)
        self._end(kind)
        # The checks that were under way have ended by then, so that "up" is what it now is.
        time.sleep((RISE + 1) * INTERVAL)
        await_health(self._api, self._server.name, "up", limit(out_within(INTERVAL)))
        trouble.end = time.monotonic()

    def _begin(self, kind):
        if kind == "pause":
            self._server.signal(signal.SIGSTOP)
        elif kind == "stop":
            self._server.end()
        else:
            self._server.kill()

    def _end(self, kind):
        if kind == "pause":
            self._server.signal(signal.SIGCONT)
        else:
            self._server.start()


def lines_by_client(target, count):
    """The access log's sessions of each client address, in order."""
    found = collections.defaultdict(list)
    for line in target.access_log(count, within=limit(3)):
        found[line["client"]].append(line)
    return found


def explain(visits, lines, troubles):
    """What cannot be explained, as texts."""
    wrong = []
    for visit in visits:
        line = lines[visit.client].pop(0)
        if visit.end == "served":
            continue
        blamed = [t for t in troubles if t.server == line["backend"]
                  and t.begin - CLOCK <= visit.ended <= t.end + limit(CLOCK)]
        if visit.end not in ("fin", "reset") or line["reason"] not in BLAME or not blamed:
            wrong.append(f"{visit}: {line}, {[t for t in troubles if t.server == line['backend']]}")
    return wrong


def report(visits, lines, troubles):
    kinds = collections.Counter(t.kind for t in troubles)
    ends = collections.Counter(v.end for v in visits)
    reasons = collections.Counter(line["reason"] for found in lines.values() for line in found)
    out = [t.out_after for t in troubles if t.out_after is not None]
    print(f"{dict(kinds)}; {len(out)} lasted, out after {min(out, default=0):.2f} to "
          f"{max(out, default=0):.2f} s; {len(visits)} clients: {dict(ends)}; {dict(reasons)}")


@only_l4lb
def test_K13x_chaos(stage, way):
    print(f"\nL4LB_SEED={SEED} L4LB_CHAOS={SECONDS}")
    servers = [stage.backend(Served("echo", f"b{i}")) for i in range(SERVERS)]
    target = stage.target(way, servers, on_down="close", connect_timeout="2s", retries=AT_A_TIME,
                          health_check=every(INTERVAL, "send_expect", send="well?",
                                             expect="well?"))
    api = Api(target)
    for server in servers:
        await_health(api, server.name, "up", limit(1))
    crowd = Arrivals(stage, target.address, Plan(A_SECOND, SEED, STAY, patience=limit(3)))
    over, seats = threading.Event(), threading.Semaphore(AT_A_TIME)
    fates = [Fate(server, api, seats, over) for server in servers]
    for fate in fates:
        stage.keep(fate, fate.release)
    over.wait(SECONDS)
    over.set()
    for fate in fates:
        fate.wait()
    visits = crowd.finish(limit(5))
    troubles = [trouble for fate in fates for trouble in fate.troubles]
    lines = lines_by_client(target, len(visits))
    report(visits, lines, troubles)
    assert not [fate.error for fate in fates if fate.error], [f.error for f in fates]
    assert any(t.out_after for t in troubles), "nothing happened"
    wrong = explain(visits, lines, troubles)
    assert not wrong, f"L4LB_SEED={SEED}: {len(wrong)} of {len(visits)}:\n" + "\n".join(wrong[:5])
    target.quiet()
