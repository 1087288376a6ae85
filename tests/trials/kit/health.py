# SPDX-License-Identifier: Apache-2.0
"""Checks of a trial: how they are configured, who answers them, and what became of it.

Used by the trials G*, J11 and K*.
"""

import re
import time

from kit.backends import Backend, reserve_port
from kit.wire import wait_until

RISE, FALL = 2, 3
CHANGE = re.compile(r"pool (\S+): backend (\S+) \(\S+\) is (down|up|ejected|back)\b:?\s*(.*)")


def every(seconds, kind="tcp", **more):
    """A health_check every so many seconds, with as long to answer."""
    duration = f"{round(seconds * 1000)}ms"
    return {"type": kind, "interval": duration, "fast_interval": duration, "timeout": duration,
            "rise": RISE, "fall": FALL, **more}


def out_within(seconds, fall=FALL):
    """How long after its death a backend may still be in, with every(seconds)."""
    return seconds * fall + seconds


def await_health(api, name, health, within, acts=True):
    """Waits until the checks of a backend say "up" or "down", and it takes sessions accordingly if
    `acts`; returns what the API knows of it."""
    def found():
        backend = api.backends()[name]
        agrees = not acts or backend["takes_sessions"] == (health == "up")
        return backend if backend["check"]["health"] == health and agrees else None
    return wait_until(found, within, f"{name} to be {health}")


def changes(target, name, since=0):
    """What the log says of a backend from its line number `since` on, as (what, why): down, up,
    ejected or back."""
    found = map(CHANGE.search, target.stderr[since:])
    return [(match[3], match[4]) for match in found if match and match[2] == name]


class Doctor(Backend):
    """Says `well` or `ill` in a backend's place, to whoever connects, and closes: for checks with
    EXPECTS.  `well` may be a function of the connection's number."""

    EXPECTS = {"kind": "send_expect", "expect": "well"}

    def __init__(self, well=True, **options):
        super().__init__(**options)
        self.well = well
        self.told = []  # (time, whether well) of each check.

    def serve(self, sock, index):
        well = self.well(index) if callable(self.well) else self.well
        self.told.append((time.monotonic(), well))
        sock.sendall(b"well\n" if well else b"ill\n")


def doctors(stage, count):
    """So many on 127.0.0.1, 127.0.0.2 and so on, all at one port, as `health_check.port` needs it;
    returns them and the port."""
    hosts = [f"127.0.0.{i + 1}" for i in range(count)]
    while True:
        with reserve_port(hosts[0]) as sock:
            port = sock.getsockname()[1]
        found = [Doctor(host=host, port=port) for host in hosts]
        started = []
        try:
            for doctor in found:
                started.append(doctor.start())
        except OSError:  # Somebody has that port of one of the addresses.
            for doctor in started:
                doctor.stop()
            continue
        for doctor in found:
            stage.keep(doctor, doctor.stop)
        return found, port
