# SPDX-License-Identifier: Apache-2.0
"""The daemon under trial: started on a configuration file, asked by signals, judged by quiet().

    Daemon("epoll", backends, folder, **options)

Options, all of them optional:
  idle_timeout half_close_timeout backlog           of the listener "default"
  connect_timeout retries dead_after keepalive policy   of the pool "default"
  workers buffers max_connections drain_timeout log     of the process; L4LB_WORKERS in the
                                                    environment sets another default than 1
  weights     one per backend
  listeners pools   lists of mappings as in the file, in place of the ones made from the above
  access_log  False: none; "-": to stdout; default: a file that access_log() reads
  flags       further command line arguments
  nofile      RLIMIT_NOFILE, soft and hard
  wrapper     a command line that runs the rest of it, such as ["strace", "-f", "-o", path]
  env         further environment variables
Backends are called by their `name`, or b1, b2, ...
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

from kit.target import DIE_WITH_US, Process
from kit.wire import STRICT, Deadline, limit, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = pathlib.Path(os.environ.get("L4LB_BIN", ROOT / "build/release/bin/l4lb"))
WORKERS = int(os.environ.get("L4LB_WORKERS", "1"))
OF_LISTENER = ("idle_timeout", "half_close_timeout", "backlog")
OF_POOL = ("policy", "connect_timeout", "retries", "keepalive", "dead_after")
OF_PROCESS = ("workers", "buffers", "max_connections", "drain_timeout", "log")
OF_START = ("weights", "listeners", "pools", "access_log", "flags", "nofile", "wrapper", "env")
DAMAGE = re.compile(r"AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error:|Check failed"
                    r"|\*\*\* SIG|^F\d{8}")


def _yaml(value, indent=0):
    """Lines of block YAML for mappings, lists, numbers and strings."""
    pad = " " * indent
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, (dict, list)):
                yield f"{pad}{key}:"
                yield from _yaml(item, indent + 2)
            else:
                yield f"{pad}{key}: {_scalar(item)}"
    else:
        for item in value:
            if isinstance(item, dict):
                first, *rest = _yaml(item, indent + 2)
                yield f"{pad}- {first.strip()}"
                yield from rest
            else:
                yield f"{pad}- {_scalar(item)}"


def _scalar(value):
    return str(value) if re.fullmatch(r"[\w.]+", str(value)) else json.dumps(value)


def _configuration(engine, backends, log_path, options):
    pick = lambda keys: {key: options[key] for key in keys if key in options}
    weights = options.get("weights", [1] * len(backends))
    members = [{"name": b.name or f"b{i + 1}", "address": f"{b.host}:{b.port}", "weight": w}
               for i, (b, w) in enumerate(zip(backends, weights, strict=True))]
    config = {"engine": engine, "workers": WORKERS, "drain_timeout": "1s", **pick(OF_PROCESS)}
    if log_path:
        config["access_log"] = {"path": str(log_path), "format": "json"}
    config["listeners"] = options.get("listeners") or [
        {"name": "default", "bind": ["127.0.0.1:0"], "pool": "default", **pick(OF_LISTENER)}]
    config["pools"] = options.get("pools") or [
        {"name": "default", "policy": "round_robin", **pick(OF_POOL), "backends": members}]
    return config


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


class Daemon(Process):
    """A running l4lb.  `addresses` are those of its listeners, `address` is the first of them."""

    is_l4lb = True

    def __init__(self, engine, backends, folder, **options):
        unknown = set(options) - {*OF_LISTENER, *OF_POOL, *OF_PROCESS, *OF_START}
        assert not unknown, f"options that the kit does not know: {unknown}"
        assert BINARY.exists(), f"no daemon at {BINARY}: build it, or set L4LB_BIN"
        self.stdout, self.stderr, self.log_path, self.addresses = [], [], None, []
        self._lock = threading.Lock()
        wanted = options.get("access_log", True)
        if wanted:
            self.log_path = folder / "access.log" if wanted is True else wanted
        self.config_path = folder / "l4lb.yaml"
        config = _configuration(engine, backends, self.log_path, options)
        self.config_path.write_text("\n".join(_yaml(config)) + "\n", encoding="utf-8")
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
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self._process.stdout, self.stdout),
                                      (self._process.stderr, self.stderr))]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(pipe, lines):
        with pipe:
            for line in pipe:
                lines.append(line.rstrip("\n"))

    def _await_ready(self):
        try:
            wait_until(lambda: "ready" in self.stdout or self._process.poll() is not None,
                       limit(10), "the daemon's line `ready`")
            assert self._process.poll() is None, "the daemon did not start"
            self.pid = self._find(self._process.pid)
            assert self.pid, "the daemon's process is not among the wrapper's children"
            for line in self.stdout:
                if match := re.match(r"listening\s+(\S+):(\d+)\s", line):
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
        assert found == reasons

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
        for pool in stats["pools"].values():
            left += [f"backend {name}: active={b['active']}"
                     for name, b in pool["backends"].items() if b["active"]]
        return ", ".join(left)

    def quiet(self):
        """Fails unless, 2 s after the trial, the same process runs, nothing is left in use, the
        counters add up, and check_rest() agrees."""
        deadline = Deadline(limit(2))
        while left := self._left_behind(self.stats()):
            assert self.alive(), f"the daemon is gone\n{self.describe()}"
            assert not deadline.passed(), f"left behind: {left}\n{self.describe()}"
            time.sleep(0.1)
        check_counters(self.stats())
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

    def stop(self):
        """Stops it at once if it still runs, and fails when it crashed, hung or reported damage."""
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
        assert status == 0, f"exit status {status}\n{self.describe()}"
