# SPDX-License-Identifier: Apache-2.0
"""J09x (ours): host names of backends are resolved at the start.

`localhost:PORT`, whatever addresses it has.  Expected: 20 of 20 connections are served.  A name
that does not resolve (in a network namespace, where nobody answers): exit status 1, and the error
names the backend and its host.
"""

from kit import Ident, limit, only_l4lb
from kit.configuration import service
from kit.daemon import failed_start
from kit.ends import visit
from kit.namespace import in_namespace


def named(backend, name, address):
    listener, pool = service("default", [backend])
    pool["backends"] = [{"name": name, "address": address}]
    return {"listeners": [listener], "pools": [pool]}


@only_l4lb
def test_J09x_localhost(stage, way):
    backend = stage.backend(Ident(name="b"))
    target = stage.target(way, [], **named(backend, "home", f"localhost:{backend.port}"))
    assert [visit(target) for _ in range(20)] == ["b"] * 20
    target.expect_reasons(client_fin=20)
    assert sum(b["sessions"] for b in target.pool()["backends"].values()) == 20
    assert all("home" in name for name in target.pool()["backends"])
    target.quiet()


@only_l4lb
@in_namespace
def test_J09x_unknown(stage, way):
    backend = stage.backend(Ident(name="b"))
    status, said = failed_start(way, [], stage.folder,
                                **named(backend, "lost", "no-such-host.invalid:5432"))
    assert status == 1, said
    lines = [line for line in said.splitlines() if "no-such-host.invalid" in line]
    assert any("lost" in line for line in lines), said
