# SPDX-License-Identifier: Apache-2.0
"""l4lb-load as generator and as backend, each a process of its own.

The backend is `serve --mode=ask`: the client says first what a connection is for, so that one
backend serves every kind of work.  Used by the cases of peers.py.
"""

import json
import select
import subprocess
import time
from typing import NamedTuple

import measure


class LoadError(RuntimeError):
    """Bytes or connections were lost, or the load could not run: the figure would mean nothing."""


class Result(NamedTuple):
    """`answer` is l4lb-load's JSON; `cpu` what the contender spent, in ns a second."""
    answer: dict
    cpu: float | None

    def latency(self, name):
        return self.answer["latency_us"][name] * 1e3

    def errors(self):
        return errors_of(self.answer)


def errors_of(answer):
    return {kind: count for kind, count in answer["errors"].items() if count}


def wait_for_ready(process, seconds):
    """Reads lines until `ready`; raises when it does not come in time."""
    lines = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not select.select([process.stdout], [], [], deadline - time.monotonic())[0]:
            break
        line = process.stdout.readline()
        if not line:
            break
        lines.append(line.decode().strip())
        if lines[-1] == "ready":
            return lines
    measure.end(process)
    raise LoadError(f"l4lb-load was not ready: {' '.join(lines)}")


class Backend:
    """Listens on all addresses of this machine at one port, so that 127.x are many backends."""

    def __init__(self, program, host=measure.HOST):
        self._process = subprocess.Popen(
            [program, "serve", f"--listen={host}:0", "--mode=ask"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, bufsize=0)
        self.port = int(wait_for_ready(self._process, 10)[0].rsplit(":", 1)[1])

    def kill(self):
        """Ends it without a word: its connections are reset, its port refuses."""
        self._process.kill()
        self._process.wait()

    def stop(self):
        measure.end(self._process)
        self._process.stdout.close()


class Idle:
    """`count` sessions that exchanged one message and are silent, inside a `with`."""

    def __init__(self, program, port, count):
        self._count = count
        self._process = subprocess.Popen(
            [program, "idle", "--ask", f"--target={measure.HOST}:{port}", "--stay", "--json",
             f"--connections={count}", "--sources=8"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def __enter__(self):
        wait_for_ready(self._process, 30)
        return self

    def __exit__(self, failed, *_):
        try:
            output, _errors = self._process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise LoadError("idle sessions did not end") from None
        if failed is None:
            answer = json.loads(output)
            if errors_of(answer) or answer["open"] != self._count:
                raise LoadError(f"{answer['open']} of {self._count} sessions were left: "
                                f"{answer['first_error']}")


class Running:
    """A load that has been started; `result()` waits for its end."""

    def __init__(self, program, work, port, seconds, flags, contender=None, verify=True):
        self._work = work
        self._seconds = seconds
        self._contender = contender
        command = [program, work, "--ask", f"--target={measure.HOST}:{port}", "--json", *flags]
        if seconds:
            command.append(f"--duration={round(seconds * 1000)}ms")
        if verify:
            command.append("--verify")
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def result(self, errors_are_figures=False):
        pids = self._contender.pids() if self._contender and self._seconds else []
        with measure.CpuSampler(pids) as sampler:
            output, errors = self._wait()
        if self._process.returncode not in (0, 1) or not output:
            raise LoadError(f"l4lb-load {self._work}: {errors.strip()}")
        answer = json.loads(output)
        if self._process.returncode == 1 and not errors_are_figures:
            kinds = ", ".join(f"{count} {kind}" for kind, count in errors_of(answer).items())
            raise LoadError(f"{kinds}: {answer['first_error']}")
        if answer["interrupted"]:
            raise LoadError(f"l4lb-load {self._work} was cut short")
        if self._seconds and not answer["seconds"]:
            raise LoadError("the warm-up did not end in time: the machine is too busy")
        until = answer["until_ns"] / 1e9
        cpu = sampler.rate(until - answer["seconds"], until) if pids else None
        return Result(answer, cpu)

    def _wait(self):
        try:
            return self._process.communicate(timeout=self._seconds + 60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise LoadError(f"l4lb-load {self._work} did not end") from None
