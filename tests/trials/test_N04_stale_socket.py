# SPDX-License-Identifier: Apache-2.0
"""N04: a control socket that was left behind is no obstacle, one in use is not stolen.

The admin address is a UNIX socket.  kill -9, start again; a second instance with the same
configuration while the first runs; the mode of the socket.  Expected: the restart serves within
1 s; the second instance exits with 1 and says which address is in use, and the first one's socket
still answers; the mode is 0660, or what `admin.mode` says, and not what umask makes of it; after a
stop the file is gone.
"""

import os
import stat
import time

from kit import Echo, limit, only_l4lb
from kit.api import Api
from kit.daemon import failed_start
from kit.ends import echoes

import pytest


def mode(path):
    found = os.stat(path).st_mode
    assert stat.S_ISSOCK(found)
    return stat.S_IMODE(found)


@only_l4lb
def test_N04_stale_socket(stage, way, tmp_path):
    path = tmp_path / "control"
    backends = [stage.backend(Echo())]
    options = {"admin": {"bind": f"unix:{path}"}}
    first = stage.target(way, backends, **options)
    assert Api(first).get("/v1/status")["pid"] == first.pid
    first.kill()
    assert path.exists(), "a file is left behind"

    begun = time.monotonic()
    second = stage.target(way, backends, **options)
    assert Api(second).get("/v1/status")["pid"] == second.pid
    assert time.monotonic() - begun <= limit(1)

    folder = tmp_path / "third"
    folder.mkdir()
    status, said = failed_start(way, backends, folder, **options)
    assert status == 1 and str(path) in said and "in use" in said, (status, said)
    assert Api(second).get("/v1/status")["pid"] == second.pid
    assert echoes(stage.connect(second))
    stage.close_clients()
    second.quiet()
    second.stop()
    assert not path.exists()


@pytest.mark.parametrize("configured, expected", [(None, 0o660), ("0600", 0o600)])
@only_l4lb
def test_N04_mode(stage, way, tmp_path, configured, expected):
    path = tmp_path / "control"
    admin = {"bind": f"unix:{path}", **({"mode": configured} if configured else {})}
    before = os.umask(0)
    try:
        stage.target(way, [stage.backend(Echo())], admin=admin)
    finally:
        os.umask(before)
    assert mode(path) == expected
