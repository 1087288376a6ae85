# SPDX-License-Identifier: Apache-2.0
"""J11x (ours): a second daemon on the same port is refused, not let in by SO_REUSEPORT.

A daemon with two workers serves; a second one is started on its address, by the same user, with
one, two and four workers.  Expected: exit status 1, the error names the address and the process
that has it, and of 50 connections made meanwhile none is lost.  The same on a port that another
program has.
"""

import pytest

from kit import Ident, only_l4lb
from kit.daemon import failed_start
from kit.ends import visit


def refusal(stage, way, address, workers):
    host, port = address
    status, said = failed_start(way, [stage.backend(Ident(name="other"))], stage.folder,
                                bind=[f"{host}:{port}"], workers=workers)
    assert status == 1, said
    return next(line for line in said.splitlines() if f"{host}:{port}" in line)


@pytest.mark.parametrize("workers", [1, 2, 4])
@only_l4lb
def test_J11x_another_daemon(stage, way, workers):
    target = stage.target(way, [stage.backend(Ident(name="b"))], workers=2)
    said = refusal(stage, way, target.address, workers)
    assert "l4lb" in said and str(target.pid) in said, said
    assert [visit(target) for _ in range(50)] == ["b"] * 50
    target.expect_reasons(client_fin=50)
    target.quiet()


@only_l4lb
def test_J11x_another_program(stage, way):
    backend = stage.backend(Ident(name="b", forked=True))
    said = refusal(stage, way, backend.address, 2)
    assert "python3" in said, said
