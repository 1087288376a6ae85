# SPDX-License-Identifier: Apache-2.0
"""The admin API of a Daemon, and another configuration file for it."""

import http.client
import json
import os
import re
import socket
import time
import urllib.parse
from dataclasses import dataclass

from kit.configuration import yaml
from kit.wire import limit

LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
SERIES = re.compile(rf"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{{(?:{LABEL},?)*\}})? (\S+)")
COMMENT = re.compile(r"# (HELP [a-zA-Z_:][a-zA-Z0-9_:]* .*"
                     r"|TYPE [a-zA-Z_:][a-zA-Z0-9_:]* (counter|gauge|histogram))")


@dataclass
class Answer:
    status: int
    body: bytes
    seconds: float  # From the request to the answer's end, connecting included.

    @property
    def json(self):
        return json.loads(self.body) if self.body else None


class _OverUnix(http.client.HTTPConnection):
    """HTTP over the UNIX socket `path`."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _address(target):
    line = next(line for line in target.stdout if line.startswith("admin "))
    where = line.split()[1]
    if where.startswith("unix:"):
        return where.removeprefix("unix:")
    host, _, port = where.rpartition(":")
    return host, int(port)


class Api:
    """Asks `target` over HTTP, with a connection for each question."""

    def __init__(self, target):
        self.address = _address(target)

    def ask(self, method, path, body=None, within=None):
        """The Answer, whatever it is; `body` is sent as JSON unless it is text already."""
        within = within or limit(5)
        connection = (_OverUnix(self.address, within) if isinstance(self.address, str)
                      else http.client.HTTPConnection(*self.address, timeout=within))
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        begin = time.monotonic()
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), time.monotonic() - begin)
        finally:
            connection.close()

    def _expect_good(self, method, path, body=None):
        answer = self.ask(method, path, body)
        assert 200 <= answer.status < 300, f"{method} {path}: {answer.status} {answer.body[:500]}"
        return answer.json

    def get(self, path):
        """What the answer says as JSON; fails unless it is a good one, as the next three do."""
        return self._expect_good("GET", path)

    def post(self, path, body=None):
        return self._expect_good("POST", path, body)

    def patch(self, path, body):
        return self._expect_good("PATCH", path, body)

    def delete(self, path):
        return self._expect_good("DELETE", path)

    def reload(self):
        return self.post("/v1/reload")

    def backends(self, pool="default"):
        """The backends of a pool by name."""
        return {b["name"]: b for b in self.get(f"/v1/pools/{pool}/backends")}

    def add(self, backend, pool="default", **fields):
        """Adds this backend, which has a name."""
        host, port = backend.address
        return self.post(f"/v1/pools/{pool}/backends",
                         {"name": backend.name, "address": f"{host}:{port}", **fields})

    def sessions(self, **query):
        return self.get("/v1/sessions?" + urllib.parse.urlencode({"limit": 10000, **query}))

    def metrics(self):
        """The value of each series of /metrics, by its name and labels; fails when a line is not
        as the text format has it, or a series is there twice."""
        answer = self.ask("GET", "/metrics")
        assert answer.status == 200, answer
        values = {}
        for line in answer.body.decode().removesuffix("\n").split("\n"):
            if line.startswith("#"):
                assert COMMENT.fullmatch(line), line
                continue
            match = SERIES.fullmatch(line)
            assert match, line
            series = match[1] + (match[2] or "")
            assert series not in values, f"twice: {series}"
            values[series] = float(match[3])
        return values


def rewrite(target, config=None, text=None):
    """Replaces the file by what `config` (default: target.config) says, or by `text`: it is renamed
    over the old one.  The daemon is not told."""
    config = target.config if config is None else config
    text = "\n".join(yaml(config)) + "\n" if text is None else text
    new = target.config_path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, target.config_path)
