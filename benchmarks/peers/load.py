# SPDX-License-Identifier: Apache-2.0
"""The load: what stands behind a contender (backends) and what is done to it (loads).

A load runs for a given time against a port and returns how much work got done.  Used by spine.py.
"""

import json
import pathlib
import re
import socket
import subprocess
import time

import contenders
import measure

HTTP_CONFIG = """
{user}
worker_processes 1;
worker_rlimit_nofile 20000;
daemon off;
error_log stderr crit;
pid {folder}/http.pid;
events {{ worker_connections 9000; }}
http {{
  access_log off;
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ return 200 "spine\\n"; }}
  }}
}}
"""

REQUEST = b"GET / HTTP/1.1\r\nHost: spine\r\n\r\n"


class LoadError(RuntimeError):
    """The load did not run as it should: the figure would mean nothing."""


class HttpBackend:
    """nginx that answers every request with six bytes and keeps connections open."""

    def __init__(self, binary, folder):
        self.port = measure.free_port()
        config = pathlib.Path(folder) / f"http-{self.port}.conf"
        config.write_text(HTTP_CONFIG.format(user=contenders.nginx_user(), folder=folder,
                                             port=self.port), encoding="ascii")
        self._process = measure.serve(contenders.nginx_command(binary, config), self.port)

    def stop(self):
        measure.end(self._process)


class IperfBackend:
    def __init__(self):
        self.port = measure.free_port()
        self._process = measure.serve(["iperf3", "-s", "-p", str(self.port)], self.port)

    def stop(self):
        measure.end(self._process)


def iperf(port, seconds, streams):
    """Uploads for `seconds`; returns the bytes that arrived and the seconds that it took."""
    command = ["iperf3", "-c", measure.HOST, "-p", str(port), "-t", str(max(1, round(seconds))),
               "-P", str(streams), "-J"]
    # The server takes a moment to be free again after the last run.
    for attempt in range(5):
        run = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 30,
                             check=False)
        answer = json.loads(run.stdout or "{}")
        if run.returncode == 0 and "error" not in answer:
            received = answer["end"]["sum_received"]
            return received["bytes"], received["seconds"]
        time.sleep(0.2 * (attempt + 1))
    raise LoadError(f"iperf3: {answer.get('error', run.stderr)}")


def wrk(port, seconds, connections, close=False):
    """Requests for `seconds`; returns the answered requests and the seconds that it took."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
    if close:
        command += ["-H", "Connection: close"]
    run = subprocess.run(command + [f"http://{measure.HOST}:{port}/"], capture_output=True,
                         text=True, timeout=seconds + 30, check=False)
    done = re.search(r"(\d+) requests in ([\d.]+)(m?)s", run.stdout)
    if run.returncode != 0 or not done or int(done[1]) == 0:
        raise LoadError(f"wrk: {run.stdout}{run.stderr}")
    trouble = re.search(r"(Socket errors|Non-2xx).*", run.stdout)
    if trouble:
        raise LoadError(f"wrk: {trouble[0]}")
    return int(done[1]), float(done[2]) / (1000 if done[3] else 1)


def open_sessions(port, count):
    """`count` connections, each after one request and its answer; the caller closes them."""
    sessions = []
    for _ in range(count):
        session = socket.create_connection((measure.HOST, port), timeout=10)
        sessions.append(session)
        session.sendall(REQUEST)
        answer = b""
        while not answer.endswith(b"spine\n"):
            piece = session.recv(4096)
            if not piece:
                raise LoadError(f"session {len(sessions)} of {count} was closed")
            answer += piece
    return sessions
