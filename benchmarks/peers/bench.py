# SPDX-License-Identifier: Apache-2.0
"""Runs cases in interleaved rounds and keeps their figures.

A round runs a case against each contender in turn, each time against a fresh process with a backend
of its own; who is first changes from round to round.  Used by peers.py.
"""

import contextlib
import subprocess
import sys
import time

import cases
import contenders
import generator
import measure
import report

TROUBLE = (generator.LoadError, RuntimeError, OSError, subprocess.SubprocessError)
ROUNDS_OF_THE_REST = 2  # What has no target is measured less often.
ROUNDS = {"open": 4, "idle": 2, "mixed": 3, "growth": 2, "deaths": 2}  # At most.


class Bench:
    """All that has been measured."""

    def __init__(self, options, rivals, folder):
        self.options = options
        self.rivals = rivals
        self.folder = folder
        self.shared = {}
        self.failures = []
        self.cut_short = False
        self._rows = {}
        self._started = time.monotonic()
        self._deadline = self._started + 60 * options.minutes

    def run(self):
        """Round by round, so that every case has a figure when time runs out."""
        for number in range(self.options.rounds):
            for workers in self.options.workers:
                first = workers == self.options.workers[0]
                for case in self.options.case:
                    rounds = ROUNDS.get(case, self.options.rounds) if first else ROUNDS_OF_THE_REST
                    if number < rounds and (first or case in cases.CASES_OF_MORE_WORKERS):
                        self._run_case(case, workers, number, first)

    def _run_case(self, case, workers, number, first):
        if number > 0 and time.monotonic() > self._deadline:
            self.cut_short = True
            return
        print(f"{self._minutes():4.1f} min: round {number + 1} of {self.options.rounds}, "
              f"{plural_of_workers(workers)}: {case}", file=sys.stderr)
        # Nobody is always first.
        shift = number % len(self.rivals)
        for rival in self.rivals[shift:] + self.rivals[:shift]:
            run = Run(self, case, rival, workers, number, first)
            try:
                cases.CASES[case](run)
            except TROUBLE as error:
                self.fail(run, Run.WHOLE_CASE, error)

    def _minutes(self):
        return (time.monotonic() - self._started) / 60

    def put(self, run, point, parameters, values):
        for name, value in values.items():
            row = self._row(run, point, parameters, name)
            row.values.setdefault(run.rival.name, {})[run.number] = value

    def fail(self, run, point, error):
        reason = str(error) or type(error).__name__
        self.failures.append({"case": run.case, "point": point, "workers": run.workers,
                              "contender": run.rival.name, "round": run.number + 1,
                              "reason": reason})
        print(f"{run.case}, {point} through {run.rival.name} failed: {reason}", file=sys.stderr)

    def rows(self):
        """In the order of the run; failures stand where the figures would."""
        for row in self._rows.values():
            row.failed.clear()
            for failure in self.failures:
                if (failure["case"], failure["workers"]) == (row.case, row.workers) \
                        and failure["point"] in (row.point, Run.WHOLE_CASE):
                    row.failed.setdefault(failure["contender"], []).append(failure["reason"])
        return list(self._rows.values())

    def _row(self, run, point, parameters, name):
        key = (run.workers, run.case, point, name)
        if key not in self._rows:
            first = run.workers == self.options.workers[0]
            plain = cases.MEASURES[name]
            self._rows[key] = report.Row(
                run.case, point, parameters, run.workers, name,
                cases.with_targets(plain, (run.case, point, name)) if first else plain, {}, {})
        return self._rows[key]


def plural_of_workers(workers):
    return cases.plural(workers, "worker")


class Run:
    """One case, one contender, one round: what the functions of cases.py work with."""

    WHOLE_CASE = ""  # As a point: a failure there is one of all points of the case.

    def __init__(self, bench, case, rival, workers, number, first):
        self._bench = bench
        self._contender = None
        self._first = first
        self.case = case
        self.rival = rival
        self.workers = workers
        self.number = number
        self.quick = bench.options.quick
        self.seconds = bench.options.seconds
        self.warm_up_seconds = min(0.3, self.seconds / 2)

    # --- what to measure

    def wants(self, main):
        """Points with targets always; the rest less often."""
        return main or (not self.quick and self._first and self.number < ROUNDS_OF_THE_REST)

    def warm_up(self):
        return f"--warmup={round(self.warm_up_seconds * 1000)}ms"

    def is_proxy(self):
        return self.rival.name != "none"

    def supports(self, policy):
        return self.rival.supports(policy)

    def policies(self):
        """Those that any l4lb here has."""
        found = [rival for rival in self._bench.rivals if report.is_ours(rival.name)]
        return contenders.choices(found[0].binary, "policy") if found else ["round_robin"]

    def peers(self):
        rivals = self._bench.rivals
        return [rival for rival in rivals if report.is_peer(rival.name)] or rivals[:1]

    def shared(self, name, make):
        """Made once for all contenders and rounds."""
        key = (self.workers, name)
        if key not in self._bench.shared:
            self._bench.shared[key] = make()
        return self._bench.shared[key]

    # --- measuring

    @contextlib.contextmanager
    def point(self, name, **parameters):
        """Gives a function that takes figures.  Trouble inside is noted for this point."""
        values = {}
        try:
            yield lambda **more: values.update(more)
        except TROUBLE as error:
            self._bench.fail(self, name, error)
        else:
            self._bench.put(self, name, parameters, values)

    def backend(self, host=measure.HOST):
        return generator.Backend(self._bench.options.load, host)

    @contextlib.contextmanager
    def through(self, backends=1, policy=None, rival=None, watched=()):
        """A fresh contender before backends, its own or `watched` addresses; gives its port."""
        backend = contender = None
        try:
            addresses = watched
            if not addresses:
                backend = self.backend("0.0.0.0")
                addresses = [f"127.0.{1 + i // 250}.{1 + i % 250}:{backend.port}"
                             for i in range(backends)]
            setup = contenders.Setup(tuple(addresses), self.workers, policy, bool(watched))
            contender = (rival or self.rival).start(setup, self._bench.folder)
            if rival is None:
                self._contender = contender
            yield contender.port
        finally:
            self._contender = None
            for part in (contender, backend):
                if part:
                    part.stop()

    def start(self, work, port, *flags, seconds=None, verify=True):
        seconds = self.seconds if seconds is None else seconds
        return generator.Running(self._bench.options.load, work, port, seconds, flags,
                                 self._contender, verify)

    def load(self, work, port, *flags, seconds=None, verify=True):
        return self.start(work, port, *flags, seconds=seconds, verify=verify).result()

    def idle(self, port, count):
        return generator.Idle(self._bench.options.load, port, count)

    def pids(self):
        return self._contender.pids()

    def memory(self):
        """Of the contender, and of the kernel for everybody."""
        return measure.pss_bytes(self.pids()), measure.kernel_memory_bytes()
