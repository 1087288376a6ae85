# SPDX-License-Identifier: Apache-2.0
"""F08: io_uring is not available.

A seccomp filter around the daemon refuses io_uring as containers do (EPERM), as kernels without it
do (ENOSYS), or refuses only the buffer rings, as old kernels do.  Expected: `engine: auto` starts
on epoll and serves, with one warning when it would have taken io_uring, and says why; `engine:
io_uring` ends within 1 s with status 1 and one line, in the same words as that warning.  And where
nothing is refused and the kernel has it, it is taken.

The same with a user who may lock no more memory than a ring needs, which some kernels count: what
is there for the first worker is not for the second.  Expected: `auto` serves, `io_uring` serves or
ends with a line that says so.
"""

import os
import time

from kit import Echo, limit
from kit.daemon import failed_start
from kit.ends import echoes
from kit.kernel import lacks_io_uring
from kit.seccomp import without

import pytest

where_it_is = pytest.mark.skipif(bool(lacks_io_uring()), reason=lacks_io_uring() or "it is there")
each_lack = pytest.mark.parametrize("lack, words", [
    ("io_uring", "operation not permitted"),
    ("io_uring_at_all", "function not implemented"),
    pytest.param("buffer_rings", "rings of buffers", marks=where_it_is),
])


def warnings(target):
    return [line for line in target.stderr if line.startswith(("W", "E"))]


def serves(stage, target):
    client = stage.connect(target)
    assert echoes(client)
    stage.close_clients()
    target.quiet()


def refusal(stage, lack):
    """What a forced start says."""
    begin = time.monotonic()
    folder = stage.folder / "forced"
    folder.mkdir()
    status, errors = failed_start("io_uring", [stage.backend(Echo())], folder,
                                  wrapper=without(lack))
    assert time.monotonic() - begin <= limit(1)
    assert status == 1, errors
    lines = errors.strip().split("\n")
    assert len(lines) == 1, errors
    return lines[0]


@each_lack
def test_F08_forced(stage, lack, words):
    said = refusal(stage, lack)
    assert said.startswith("no engine io_uring: ") and words in said, said


@each_lack
def test_F08_auto(stage, lack, words):
    backend = stage.backend(Echo())
    unhindered = stage.target("auto", [backend])
    target = stage.target("auto", [backend], wrapper=without(lack))
    assert target.stats()["engine"] == "epoll"
    wanted = unhindered.stats()["engine"] if not lacks_io_uring() else "io_uring"
    if wanted == "epoll":
        assert not warnings(target)
    else:
        said = warnings(target)
        assert len(said) == 1 and refusal(stage, lack) in said[0] and words in said[0], said
        assert "engine epoll (auto; no io_uring)" in target.stdout[0]
    serves(stage, target)


@where_it_is
def test_F08_available(stage):
    target = stage.target("io_uring", [stage.backend(Echo())])
    assert target.stats()["engine"] == "io_uring"
    assert "engine io_uring (configured)" in target.stdout[0]
    assert not warnings(target)
    serves(stage, target)


LITTLE = ["prlimit", f"--memlock={128 << 10}:{128 << 10}"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@as_root
def test_F08_locked_memory_auto(stage):
    target = stage.target("auto", [stage.backend(Echo())], user="nobody", workers=4, wrapper=LITTLE)
    assert len(warnings(target)) == (1 if "no io_uring" in target.stdout[0] else 0)
    serves(stage, target)


@as_root
@where_it_is
def test_F08_locked_memory_forced(stage):
    backend = stage.backend(Echo())
    try:
        target = stage.target("io_uring", [backend], user="nobody", workers=4, wrapper=LITTLE)
    except AssertionError as error:
        said = str(error).partition("--- stderr\n")[2]
        assert "io_uring" in said and "locked memory" in said and "\n" not in said.strip(), said
    else:
        serves(stage, target)
