# SPDX-License-Identifier: Apache-2.0
"""The contenders: l4lb, HAProxy and nginx, each as one thread that forwards one port to another.

All are set up alike and as their makers advise for this task: one thread, room for every
connection, no logging, no time-out within the run, HAProxy with splicing.  Used by spine.py.
"""

import os
import pathlib
import subprocess
import threading
import time

import measure

NGINX_STREAM = "/usr/lib/nginx/modules/ngx_stream_module.so"

HAPROXY_CONFIG = """
global
  nbthread 1
  maxconn 7000
  {pipesize}
defaults
  mode tcp
  {splice}
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  maxconn 7000
listen spine
  bind 127.0.0.1:{listen} backlog 4096
  server backend 127.0.0.1:{backend}
"""

NGINX_CONFIG = """
{load_stream}
{user}
worker_processes 1;
worker_rlimit_nofile {files};
daemon off;
error_log stderr crit;
pid {folder}/nginx.pid;
events {{ worker_connections 9000; }}
stream {{
  access_log off;
  proxy_connect_timeout 5s;
  proxy_timeout 1h;
  server {{ listen 127.0.0.1:{listen} backlog=4096; proxy_pass 127.0.0.1:{backend}; }}
}}
"""


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


def nginx_user():
    """As root nginx would give its worker to `nobody`, whose memory nobody else may read."""
    return "user root;" if os.geteuid() == 0 else ""


def nginx_command(binary, config):
    return [binary, "-e", "stderr", "-p", str(config.parent), "-c", str(config)]


class L4lb:
    name = "l4lb"

    def __init__(self, binary):
        self.binary = binary

    def start(self, backend, _folder):
        process = subprocess.Popen(
            [self.binary, "--listen=127.0.0.1:0", f"--backends=127.0.0.1:{backend}", "--workers=1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
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
            raise RuntimeError(f"{self.binary} did not say `listening` and `ready`")
        return Contender(process, port)


class HAProxy:
    name = "haproxy"

    def __init__(self, binary, splice="auto", pipesize=0):
        self.binary = binary
        self._splice = {"auto": "option splice-auto",
                        "always": "option splice-request\n  option splice-response"}[splice]
        self._pipesize = pipesize

    def start(self, backend, folder):
        listen = measure.free_port()
        config = pathlib.Path(folder) / f"haproxy-{listen}.cfg"
        pipesize = f"tune.pipesize {self._pipesize}" if self._pipesize else ""
        config.write_text(HAPROXY_CONFIG.format(listen=listen, backend=backend, pipesize=pipesize,
                                                splice=self._splice), encoding="ascii")
        process = measure.serve([self.binary, "-db", "-q", "-f", str(config)], listen)
        return Contender(process, listen)


class Nginx:
    name = "nginx"

    def __init__(self, binary):
        self.binary = binary

    def start(self, backend, folder):
        listen = measure.free_port()
        config = pathlib.Path(folder) / f"nginx-{listen}.conf"
        module = f"load_module {NGINX_STREAM};" if os.path.exists(NGINX_STREAM) else ""
        config.write_text(NGINX_CONFIG.format(load_stream=module, user=nginx_user(), folder=folder,
                                              files=20000, listen=listen, backend=backend),
                          encoding="ascii")
        process = measure.serve(nginx_command(self.binary, config), listen)
        # The port is open before there is a worker.
        while process.poll() is None and len(measure.family_of(process.pid)) < 2:
            time.sleep(0.01)
        return Contender(process, listen)
