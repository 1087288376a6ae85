# SPDX-License-Identifier: Apache-2.0
"""N11: edge values of the configuration are taken with their meaning, or refused with line and
key.

`--config=FILE --check` on a table of values.  Expected: what is refused ends with exit status 2
and an error `FILE:LINE:COLUMN: ...` that names the key; what is accepted ends with 0, and
`--print_config` shows the value that it has.  10,000 backends are read within 2 s.
"""

import subprocess
import time

import pytest

from kit import limit
from kit.daemon import BINARY

PLAIN = """\
listeners:
  - name: edge
    bind: ["127.0.0.1:7000"]
    pool: edge
pools:
  - name: edge
    backends:
      - {name: b1, address: "127.0.0.1:9001"}
"""
BACKEND = '{name: b1, address: "127.0.0.1:9001"}'
BIND = '["127.0.0.1:7000"]'


def run(path, *flags):
    return subprocess.run([str(BINARY), f"--config={path}", *flags], capture_output=True, text=True,
                          timeout=limit(10), check=False)


def with_line(key, value, under="pool: edge"):
    """The plain file with `key: value` after the line `under`, and that line's number."""
    lines = PLAIN.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip().removeprefix("- ") == under)
    indent = len(lines[at]) - len(lines[at].lstrip()) + (2 if "- " in lines[at][:5] else 0)
    lines.insert(at + 1, f"{' ' * indent}{key}: {value}")
    return "\n".join(lines) + "\n", at + 2


def backend(text):
    return PLAIN.replace(BACKEND, text), 8


def address(value):
    return backend(f"{{name: b1, address: {value}}}")


def weight(value):
    return backend(f'{{name: b1, address: "127.0.0.1:9001", weight: {value}}}')


def bind(value):
    return PLAIN.replace(BIND, value), 3


def idle(value):
    return with_line("idle_timeout", value)


# id -> ((text, line of the fault), the key that the error names)
REFUSED = {
    "address without brackets": (address('"::1:9001"'), "address"),
    "address with port 0": (address('"127.0.0.1:0"'), "address"),
    "port 65536": (address('"127.0.0.1:65536"'), "address"),
    "port -1": (address('"127.0.0.1:-1"'), "address"),
    "port 9001x": (address('"127.0.0.1:9001x"'), "address"),
    "no port": (address('"127.0.0.1"'), "address"),
    "host of five numbers": (address('"127.0.0.0.1:9001"'), "address"),
    "all addresses as a backend": (address('"0.0.0.0:9001"'), "address"),
    "host name of 64 letters": (address(f'"{"x" * 64}:9001"'), "address"),
    "host name with a hyphen first": (address('"-backend.example:9001"'), "address"),
    "host name without port": (address('"backend.example"'), "address"),
    "empty address": (address('""'), "address"),
    "UNIX path of 108 bytes": (address(f'"unix:/{"x" * 107}"'), "address"),
    "bind to a host name": (bind('["backend.example:7000"]'), "bind"),
    "relative UNIX path": (address('"unix:socket"'), "address"),
    "bind to port 65536": (bind('["127.0.0.1:65536"]'), "bind"),
    "bind to nothing": (bind("[]"), "bind"),
    "limit -1": (backend('{name: b1, address: "127.0.0.1:9001", max_connections: -1}'),
                 "max_connections"),
    "rate -1": (with_line("accept_rate", "-1"), "accept_rate"),
    "limit per source of 1.5": (with_line("per_source", "{max_connections: 1.5}"),
                                "max_connections"),
    "unknown policy": (with_line("policy", "fastest", under="name: edge"), "policy"),
    "weight -1": (weight("-1"), "weight"),
    "weight 10^12": (weight("1000000000000"), "weight"),
    "weight 2^64": (weight("18446744073709551616"), "weight"),
    "weight 1.5": (weight("1.5"), "weight"),
    "weight 1e2": (weight("1e2"), "weight"),
    "weight 0x10": (weight("0x10"), "weight"),
    "duration 0": (idle("0"), "idle_timeout"),
    "duration without unit": (idle("5"), "idle_timeout"),
    "duration 1e3": (idle("1e3"), "idle_timeout"),
    "duration 99999999d": (idle("99999999d"), "idle_timeout"),
    "duration beyond 64 bits": (idle("99999999999999999999d"), "idle_timeout"),
    "negative duration": (idle("-5s"), "idle_timeout"),
    "fraction of a second": (idle("1.5s"), "idle_timeout"),
    "empty duration": (idle('""'), "idle_timeout"),
    "unknown key": (with_line("idle_timeot", "5s"), "idle_timeot"),
    "key at the wrong level": (with_line("retries", "1"), "retries"),
    "duplicate key": (with_line("pool", "edge"), "pool"),
    "duplicate backend name": (
        (PLAIN + '      - {name: b1, address: "127.0.0.1:9002"}\n', 9), "b1"),
    "duplicate backend address": (
        (PLAIN.replace(BACKEND, '{address: "127.0.0.1:9001"}')
         + '      - {address: "127.0.0.1:9001"}\n', 9), "127.0.0.1:9001"),
    "same address bound twice": (bind('["127.0.0.1:7000", "127.0.0.1:7000"]'), "127.0.0.1:7000"),
    "no such pool": ((PLAIN.replace("pool: edge", "pool: egde"), 4), "egde"),
    "name of 129 bytes": (backend(f'{{name: {"n" * 129}, address: "127.0.0.1:9001"}}'), "name"),
    "empty name": (backend('{name: "", address: "127.0.0.1:9001"}'), "name"),
    "name with a line break": (backend('{name: "a\\nb", address: "127.0.0.1:9001"}'), "name"),
    "tab as indentation": ((PLAIN.replace("    pool:", "\tpool:"), 4), "tab"),
}

# id -> (text, a line that --print_config then has, without its comment)
ACCEPTED = {
    "plain": (PLAIN, "idle_timeout: 1h"),
    "IPv6": (address('"[::1]:9001"')[0], 'address: "[::1]:9001"'),
    "host name": (address('"backend.example:9001"')[0], 'address: "backend.example:9001"'),
    "UNIX path": (address('"unix:/run/backend"')[0], 'address: "unix:/run/backend"'),
    "port 65535": (address('"127.0.0.1:65535"')[0], 'address: "127.0.0.1:65535"'),
    "bind to port 0": (bind('["127.0.0.1:0"]')[0], '"127.0.0.1:0"'),
    "bind to all": (bind('[":7000"]')[0], '":7000"'),
    "weight 0": (weight("0")[0], "weight: 0"),
    "weight 1000": (weight("1000")[0], "weight: 1000"),
    "duration 5s": (idle("5s")[0], "idle_timeout: 5s"),
    "duration 1ms": (idle("1ms")[0], "idle_timeout: 1ms"),
    "duration 365d": (idle("365d")[0], "idle_timeout: 365d"),
    "duration 90m": (idle("90m")[0], "idle_timeout: 1h30m"),
    "UTF-8 name": (backend('{name: "b\u00f6rse-\u6771\u4eac", address: "127.0.0.1:9001"}')[0],
                   "b\u00f6rse-\u6771\u4eac"),
    "CRLF": (PLAIN.replace("\n", "\r\n"), "name: b1"),
    "tab before a comment": (PLAIN.replace("pool: edge\n", "pool: edge\t# here\n"), "pool: edge"),
    "byte order mark": ("\ufeff" + PLAIN, "name: b1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_N11_refused(tmp_path, name):
    (text, line), key = REFUSED[name]
    path = tmp_path / "edge.yaml"
    path.write_bytes(text.encode())
    check = run(path, "--check")
    assert check.returncode == 2, check.stdout
    place = f"{path}:{line}:"
    errors = [e.removeprefix(place) for e in check.stderr.splitlines() if e.startswith(place)]
    assert errors, check.stderr
    assert any(key in error for error in errors), check.stderr
    assert run(path).returncode == 2, "the daemon itself must refuse it too"


@pytest.mark.parametrize("name", ACCEPTED)
def test_N11_accepted(tmp_path, name):
    text, shown = ACCEPTED[name]
    path = tmp_path / "edge.yaml"
    path.write_bytes(text.encode())
    check = run(path, "--check")
    assert (check.returncode, check.stderr) == (0, "")
    printed = run(path, "--print_config")
    assert printed.returncode == 0
    assert any(shown in line for line in printed.stdout.splitlines()), printed.stdout
    again = tmp_path / "again.yaml"
    again.write_text(printed.stdout, encoding="utf-8")
    assert run(again, "--check").returncode == 0, "what it prints must be readable"


def test_N11_ten_thousand_backends(tmp_path):
    head = PLAIN.split("      - {", maxsplit=1)[0]
    members = [f'      - {{name: b{i}, address: "127.0.{i // 250}.{i % 250 + 1}:9001"}}'
               for i in range(10_000)]
    path = tmp_path / "edge.yaml"
    path.write_text(head + "\n".join(members) + "\n", encoding="ascii")
    begin = time.monotonic()
    check = run(path, "--check")
    assert check.returncode == 0, check.stderr
    assert time.monotonic() - begin <= limit(2)
    assert "10000" in check.stdout.replace(",", "")


def test_N11_empty_and_missing(tmp_path):
    path = tmp_path / "edge.yaml"
    missing = run(path, "--check")
    assert missing.returncode == 2 and str(path) in missing.stderr
    path.write_text("", encoding="ascii")
    empty = run(path, "--check")
    assert empty.returncode == 2 and str(path) in empty.stderr
