# SPDX-License-Identifier: Apache-2.0
"""The contenders: l4lb, HAProxy and nginx as programs that forward one port to backends, and none.

All are set up alike and as their makers advise for this task: as many threads as are asked for,
room for every connection, no logging, no time-out within the run, HAProxy with splicing, and with
more than one thread a listening socket for each.  Used by peers.py and spine.py.
"""

import os
import pathlib
import re
import shutil
import subprocess
import threading
import time
from typing import NamedTuple

import yaml

import measure

NGINX_STREAM = "/usr/lib/nginx/modules/ngx_stream_module.so"
MOST_CONNECTIONS = 9300  # Two descriptors each, and some to spare, below 20,000.
MOST_IN_FLAGS = 1000     # Backends; the kernel allows 128 KiB for one argument.

HAPROXY_CONFIG = """
global
  nbthread {workers}
  maxconn {connections}
  maxpipes 300
  {pipesize}
defaults
  mode tcp
  {splice}
  option redispatch
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  maxconn {connections}
listen bench
  bind 127.0.0.1:{listen} backlog 4096 {shards}
  {balance}
{servers}
"""

NGINX_CONFIG = """
{load_stream}
{user}
worker_processes {workers};
worker_rlimit_nofile 20000;
daemon off;
error_log stderr crit;
pid {folder}/nginx-{listen}.pid;
events {{ worker_connections {connections}; }}
stream {{
  access_log off;
  proxy_half_close on;
  proxy_connect_timeout 5s;
  proxy_timeout 1h;
  upstream bench {{
    {balance}
{servers}
  }}
  server {{ listen 127.0.0.1:{listen} backlog=4096 {shards}; proxy_pass bench; }}
}}
"""

# l4lb's names of policies -> the peers' nearest.
HAPROXY_BALANCE = {"round_robin": "roundrobin", "least_connections": "leastconn",
                   "random": "random(1)", "p2c": "random(2)",
                   "ring": "source\n  hash-type consistent"}
NGINX_BALANCE = {"round_robin": "", "least_connections": "least_conn;", "random": "random;",
                 "p2c": "random two least_conn;", "ring": "hash $remote_addr consistent;"}


class Setup(NamedTuple):
    """What a contender is to do: addresses of backends, threads, policy by l4lb's name or None."""
    backends: tuple
    workers: int = 1
    policy: str | None = None
    watch: bool = False  # For dead backends, by what each has for that.


class Contender:
    """A running balancer: `port` is where it listens, `pids()` what its cost is read from."""

    def __init__(self, process, port):
        self._process = process
        self.port = port

    def pids(self):
        return measure.family_of(self._process.pid)

    def stop(self):
        measure.end(self._process)
        if self._process.stdout:
            self._process.stdout.close()


def found(binary):
    """Where `binary` is, or None.  Debian keeps servers where users' PATH does not lead."""
    return shutil.which(binary) or shutil.which(binary, path="/usr/sbin")


def nginx_user():
    """As root nginx would give its worker to `nobody`, whose memory nobody else may read."""
    return "user root;" if os.geteuid() == 0 else ""


def nginx_command(binary, config):
    return [binary, "-e", "stderr", "-p", str(config.parent), "-c", str(config)]


def said(*command):
    """What a program says about itself."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    return (run.stdout or run.stderr).strip()


def choices(binary, flag):
    """The values that `l4lb --help` lists for a flag."""
    line = re.search(rf"--{flag}=([\w|]+)", said(binary, "--help"))
    return line[1].split("|") if line else []


class L4lb:
    def __init__(self, binary, engine=None):
        self.binary = binary
        self.name = f"l4lb-{engine}" if engine else "l4lb"
        self._engine = engine

    def version(self):
        return said(self.binary, "--version").splitlines()[0]

    def supports(self, policy):
        return policy in choices(self.binary, "policy")

    def refusal(self):
        """Why the engine cannot run on this machine, in its own words; "" when it can."""
        command = self._command(Setup((f"{measure.HOST}:1",)), "/nowhere")
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            watchdog = threading.Timer(10, process.kill)
            watchdog.start()
            started = any(line.strip() == "ready" for line in process.stdout)
            watchdog.cancel()
            process.terminate()
            said = process.stderr.read().strip()
        return "" if started else said or "it does not start"

    def start(self, setup, folder):
        command = self._command(setup, folder)
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        # A daemon that hangs at the start must not hang the benchmark.
        watchdog = threading.Timer(10, process.kill)
        watchdog.start()
        port = None
        for line in process.stdout:
            words = line.split()
            if words[:1] == ["listening"]:
                port = int(words[1].rsplit(":", 1)[1])
            if line.strip() == "ready":
                break
        watchdog.cancel()
        if port is None or process.poll() is not None:
            measure.end(process)
            raise RuntimeError(f"{self.binary} did not say `listening` and `ready`")
        return Contender(process, port)

    def _command(self, setup, folder):
        few = setup.backends[:MOST_IN_FLAGS]
        command = [self.binary, "--listen=127.0.0.1:0", f"--backends={','.join(few)}",
                   f"--workers={setup.workers}", f"--max_connections={MOST_CONNECTIONS}"]
        if self._engine:
            command.append(f"--engine={self._engine}")
        if setup.policy:
            command.append(f"--policy={setup.policy}")
        if len(setup.backends) == len(few):
            return command
        # The same as a file, which has room for them all.
        config = yaml.safe_load(subprocess.run(command + ["--print_config"], capture_output=True,
                                               text=True, timeout=10, check=True).stdout)
        config["pools"][0]["backends"] = [{"address": address} for address in setup.backends]
        path = pathlib.Path(folder) / f"l4lb-{time.monotonic_ns()}.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return [self.binary, f"--config={path}"]


class HAProxy:
    name = "haproxy"

    def __init__(self, binary, splice="auto", pipesize=0):
        self.binary = binary
        self._splice = {"auto": "option splice-auto",
                        "always": "option splice-request\n  option splice-response"}[splice]
        self._pipesize = pipesize

    def version(self):
        return said(self.binary, "-v").splitlines()[0].split(" - ")[0]

    def supports(self, policy):
        return policy in HAPROXY_BALANCE

    def start(self, setup, folder):
        listen = measure.free_port()
        config = pathlib.Path(folder) / f"haproxy-{listen}.cfg"
        balance = HAPROXY_BALANCE.get(setup.policy, "roundrobin")
        if balance == "roundrobin" and len(setup.backends) > 4095:
            balance = "static-rr"  # The other one has no more room.
        watch = "check observe layer4 error-limit 3 on-error mark-down" if setup.watch else ""
        servers = "\n".join(f"  server b{i} {address} {watch}"
                            for i, address in enumerate(setup.backends))
        config.write_text(HAPROXY_CONFIG.format(
            listen=listen, servers=servers, workers=setup.workers, connections=MOST_CONNECTIONS,
            pipesize=f"tune.pipesize {self._pipesize}" if self._pipesize else "",
            splice=self._splice, shards="shards by-thread" if setup.workers > 1 else "",
            balance=f"balance {balance}"), encoding="ascii")
        process = measure.serve([self.binary, "-db", "-q", "-f", str(config)], listen)
        return Contender(process, listen)


class Nginx:
    name = "nginx"

    def __init__(self, binary):
        self.binary = binary

    def version(self):
        return said(self.binary, "-v").splitlines()[0]

    def supports(self, policy):
        return policy in NGINX_BALANCE

    def start(self, setup, folder):
        listen = measure.free_port()
        config = pathlib.Path(folder) / f"nginx-{listen}.conf"
        module = f"load_module {NGINX_STREAM};" if os.path.exists(NGINX_STREAM) else ""
        servers = "\n".join(f"    server {address};" for address in setup.backends)
        config.write_text(NGINX_CONFIG.format(
            load_stream=module, user=nginx_user(), folder=folder, listen=listen, servers=servers,
            workers=setup.workers, connections=2 * MOST_CONNECTIONS,
            balance=NGINX_BALANCE.get(setup.policy, ""),
            shards="reuseport" if setup.workers > 1 else ""), encoding="ascii")
        process = measure.serve(nginx_command(self.binary, config), listen)
        # The port is open before there is a worker.
        while (process.poll() is None
               and len(measure.family_of(process.pid)) < 1 + setup.workers):
            time.sleep(0.01)
        return Contender(process, listen)


class Direct:
    """No proxy at all: what generator and backend can do by themselves."""
    name = "none"
    binary = ""

    class Running:
        def __init__(self, port):
            self.port = port

        def pids(self):
            return []

        def stop(self):
            pass

    def version(self):
        return "no proxy"

    def supports(self, _policy):
        return False

    def start(self, setup, _folder):
        return Direct.Running(int(setup.backends[0].rsplit(":", 1)[1]))
