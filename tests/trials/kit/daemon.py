# SPDX-License-Identifier: Apache-2.0
"""The daemon under trial: started on a configuration file, asked by signals, judged by quiet().

    Daemon("epoll", backends, folder, **options)
    failed_start("epoll", backends, folder, **options)      # one that is to refuse

Options: those of configuration.py, which make the file, and
  access_log  False: none; "-": to stdout; default: a file that access_log() reads
  flags       further command line arguments
  nofile      RLIMIT_NOFILE, soft and hard
  wrapper     a command line that runs the rest of it, such as ["strace", "-f", "-o", path]
  env         further environment variables
"""

import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

from kit.configuration import OPTIONS, configuration, yaml
from kit.target import DIE_WITH_US, Process
from kit.wire import STRICT, Deadline, limit, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = pathlib.Path(os.environ.get("L4LB_BIN", ROOT / "build/release/bin/l4lb"))
OF_START = ("access_log", "flags", "nofile", "wrapper", "env")
DAMAGE = re.compile(r"AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error:|Check failed"
                    r"|\*\*\* SIG|^F\d{8}")


def _total(stats, counter):
    """The sum over all workers."""
    return sum(worker[counter] for worker in stats["workers"])


def _moved(stats):
    return _total(stats, "copied_bytes") + _total(stats, "spliced_bytes")


def check_counters(stats):
    """Fails unless the counters of `stats` add up."""
    for name, listener in stats["listeners"].items():
        say = f"listener {name}: {listener}"
        assert listener["accepted"] == listener["active"] + listener["closed"], say
        assert listener["closed"] == sum(listener["closed_by_reason"].values()), say
        refused = sum(listener["refused_by_limit"].values())
        assert refused == listener["closed_by_reason"]["limit"], say
        if listener["active"] == 0:
            for end in ("client", "backend"):
                taken, delivered, dropped = (listener[f"{end}_bytes_{what}"]
                                             for what in ("taken", "delivered", "dropped"))
                assert taken == delivered + dropped, say
    if any(listener["active"] for listener in stats["listeners"].values()):
        return
    for name, pool in stats["pools"].items():
        ended = sum(pool[f"connects_{how}"] for how in ("established", "failed", "abandoned"))
        assert pool["connects"] == ended, f"pool {name}: {pool}"


def write_configuration(engine, backends, folder, options):
    """Makes the file in `folder`; returns its path, the access log's (None without one) and what
    it says as a mapping."""
    unknown = set(options) - OPTIONS - set(OF_START)
    assert not unknown, f"options that the kit does not know: {unknown}"
    assert BINARY.exists(), f"no daemon at {BINARY}: build it, or set L4LB_BIN"
    wanted = options.get("access_log", True)
    log_path = folder / "access.log" if wanted is True else wanted or None
    path = folder / "l4lb.yaml"
    config = configuration(engine, backends, log_path, options)
    path.write_text("\n".join(yaml(config)) + "\n", encoding="utf-8")
    return path, log_path, config


def failed_start(engine, backends, folder, **options):
    """Runs a daemon that is expected not to start; returns its exit status and stderr."""
    path, *_ = write_configuration(engine, backends, folder, options)
    run = subprocess.run([*DIE_WITH_US, *options.get("wrapper", []), str(BINARY),
                          f"--config={path}"], capture_output=True, text=True,
                         timeout=limit(10), check=False)
    return run.returncode, run.stderr


class Daemon(Process):
    """A running l4lb.  `addresses` are those of its listeners, `address` is the first of them.
    `config` is what its file says; api.py writes it anew."""

    is_l4lb = True

    def __init__(self, engine, backends, folder, **options):
        self.stdout, self.stderr, self.addresses = [], [], []
        self._lock, self._killed = threading.Lock(), False
        self._flows = {"stdout": threading.Event(), "stderr": threading.Event()}
        self.config_path, self.log_path, self.config = write_configuration(
            engine, backends, folder, options)
        self._launch(options)
        self._await_ready()
        self.reset_baseline()

    def _launch(self, options):
        command = [str(BINARY), f"--config={self.config_path}", *options.get("flags", [])]
        if "nofile" in options:
            command = ["prlimit", f"--nofile={options['nofile']}:{options['nofile']}", *command]
        self._process = subprocess.Popen(
            [*DIE_WITH_US, *options.get("wrapper", []), *command], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            env={**os.environ, **options.get("env", {})})
        self._readers = [threading.Thread(target=self._read, args=[name], daemon=True)
                         for name in self._flows]
        for name, reader in zip(self._flows, self._readers):
            self.read_output(name)
            reader.start()

    def _read(self, name):
        lines = getattr(self, name)
        with getattr(self._process, name) as pipe:
            for line in pipe:
                lines.append(line.rstrip("\n"))
                self._flows[name].wait()

    def hold_output(self, name):
        """Nobody reads its "stdout" or "stderr" until read_output(), and the pipe has only room
        for one page.  No stats() while it is stderr."""
        self._flows[name].clear()
        fcntl.fcntl(getattr(self._process, name), fcntl.F_SETPIPE_SZ, 4096)

    def read_output(self, name):
        self._flows[name].set()

    def _await_ready(self):
        try:
            wait_until(lambda: "ready" in self.stdout or self._process.poll() is not None,
                       limit(10), "the daemon's line `ready`")
            assert self._process.poll() is None, "the daemon did not start"
            self.pid = self._find(self._process.pid)
            assert self.pid, "the daemon's process is not among the wrapper's children"
            for line in self.stdout:
                if match := re.match(r"listening\s+unix:(\S+)\s", line):
                    self.addresses.append(match[1])
                elif match := re.match(r"listening\s+(\S+):(\d+)\s", line):
                    self.addresses.append((match[1].strip("[]"), int(match[2])))
            assert self.addresses, "no line `listening`"
        except BaseException as error:
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"{error}\n{self.describe()}") from error
        self.address = self.addresses[0]

    def _find(self, pid):
        """The daemon among `pid` and its descendants, since a wrapper may stay as its parent."""
        if os.path.realpath(f"/proc/{pid}/exe") == str(BINARY.resolve()):
            return pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return next(filter(None, map(self._find, map(int, children.split()))), 0)

    def describe(self):
        """What it printed, for messages."""
        return "\n".join(["--- stdout", *self.stdout[-30:], "--- stderr", *self.stderr[-60:]])

    def alive(self):
        return self._process.poll() is None

    @property
    def sanitized(self):
        """Built with a sanitizer: its memory says nothing then."""
        maps = pathlib.Path(f"/proc/{self.pid}/maps").read_text(encoding="utf-8")
        return any(name in maps for name in ("libasan", "libtsan", "libubsan"))

    def stats(self):
        """All counters and gauges, as SIGUSR1 writes them."""
        with self._lock:
            seen = len(self.stderr)
            self.signal(signal.SIGUSR1)
            line = wait_until(
                lambda: next((l for l in self.stderr[seen:] if l.startswith('{"')), None),
                limit(5), "the line of counters that SIGUSR1 asks for")
        return json.loads(line)

    def listener(self, name="default"):
        """The listener's part of stats()."""
        return self.stats()["listeners"][name]

    def pool(self, name="default"):
        """The pool's part of stats()."""
        return self.stats()["pools"][name]

    def pauses(self, name="default"):
        """How often the listener has paused, whatever the cause."""
        return sum(n for key, n in self.listener(name).items() if key.startswith("paused_"))

    def turns(self):
        """Turns of the event loops of all workers so far."""
        return _total(self.stats(), "turns")

    def access_log(self, count=0, within=None):
        """The sessions in the access log's file, after waiting until there are `count`."""
        def read():
            path = pathlib.Path(self.log_path)
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            lines = text.split("\n")[:-1]
            return lines if len(lines) >= count else None
        lines = read() if count == 0 else wait_until(
            read, within or limit(2), f"{count} lines in the access log")
        return [json.loads(line) for line in lines]

    def expect_reasons(self, **reasons):
        def seen():
            listener = self.listener()
            return {r: n for r, n in listener["closed_by_reason"].items() if n}
        deadline = Deadline(limit(2))
        while (found := seen()) != reasons and not deadline.passed():
            time.sleep(0.05)
        assert found == reasons, f"closed for {found}, expected {reasons}"

    def reset_baseline(self):
        """What quiet() compares with; made at the start, and anew by whoever changes it."""
        self._fds_before = self.fds() - 2 * _total(self.stats(), "pipes_open")

    def _left_behind(self, stats):
        """What still is in use, as text; empty when nothing is."""
        left = []
        fds = self.fds() - 2 * _total(stats, "pipes_open")
        if fds > self._fds_before:
            left.append(f"{fds - self._fds_before} descriptors")
        for gauge in ("buffers_in_use", "pipes_in_use"):
            if count := _total(stats, gauge):
                left.append(f"{gauge}={count}")
        for name, listener in stats["listeners"].items():
            if listener["active"]:
                left.append(f"listener {name}: active={listener['active']}")
        for name, pool in stats["pools"].items():
            if pool["waiting"]:
                left.append(f"pool {name}: waiting={pool['waiting']}")
            left += [f"backend {name}: active={b['active']}"
                     for name, b in pool["backends"].items() if b["active"]]
        return ", ".join(left)

    def quiet(self, rest=True):
        """Fails unless, 2 s after the trial, the same process runs, nothing is left in use, the
        counters add up, and check_rest() agrees, which takes a second; `rest` False: not asked."""
        deadline = Deadline(limit(2))
        while left := self._left_behind(self.stats()):
            assert self.alive(), f"the daemon is gone\n{self.describe()}"
            assert not deadline.passed(), f"left behind: {left}\n{self.describe()}"
            time.sleep(0.1)
        check_counters(self.stats())
        if rest:
            self.check_rest()
        assert self._find(self._process.pid) == self.pid

    def check_rest(self, busy=0):
        """Fails unless the workers make at most 50 turns in 3 s (in CI: 17 in 1 s), and with
        L4LB_STRICT=1 use at most 5 % of a core; `busy` more turns are granted.  Looks again for a
        while, since peers on a busy machine may still be sending; a loop that spins never rests."""
        seconds, most = (3, 50) if STRICT else (1, 17)
        deadline, before = Deadline(limit(2)), self.stats()
        while True:
            cpu, after = self.cpu(seconds), self.stats()
            turned = _total(after, "turns") - _total(before, "turns")
            if turned <= most + busy and (cpu <= 5 or not STRICT):
                return
            moved = _moved(after) - _moved(before)
            assert not deadline.passed(), (f"{turned} turns, {cpu} % CPU in {seconds} s with "
                                           f"nothing to do; {moved} bytes moved")
            before = after

    def wait(self, within):
        """The exit status, once it has ended by itself."""
        try:
            return self._process.wait(Deadline.of(within).left())
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the daemon did not end\n{self.describe()}") from None

    def kill(self):
        """Ends it by SIGKILL, as a crash would."""
        os.kill(self.pid, signal.SIGKILL)
        self._process.wait(limit(5))
        self._killed = True

    def stop(self):
        """Stops it at once if it still runs, and fails when it crashed, hung or reported damage."""
        for name in self._flows:
            self.read_output(name)
        if self.alive():
            self.signal(signal.SIGTERM)
            time.sleep(0.02)
            if self.alive():
                self.signal(signal.SIGTERM)
        try:
            status = self._process.wait(limit(5))
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = f"{self._process.wait()} (it had to be killed)"
        for reader in self._readers:
            reader.join(5)
        damage = [line for line in self.stderr if DAMAGE.search(line)]
        assert not damage, self.describe()
        expected = -signal.SIGKILL if self._killed else 0
        assert status == expected, f"exit status {status}\n{self.describe()}"
