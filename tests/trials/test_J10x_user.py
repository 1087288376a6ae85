# SPDX-License-Identifier: Apache-2.0
"""J10x (ours): `user` gives up root after binding.

As root in a network namespace: listeners on ports 80 and 7000, `user: nobody`.  Expected: both
serve; every thread has the user's uid, gid and groups, no capability but CAP_NET_BIND_SERVICE, and
cannot gain others; the access log is written.  An unknown user is refused before anything serves.
"""

import grp
import os
import pathlib
import pwd

from kit import Entry, Ident, only_l4lb
from kit.daemon import failed_start
from kit.ends import visit
from kit.namespace import in_namespace

import pytest

NET_BIND_SERVICE = 1 << 10
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


def status(task):
    """The fields of a thread in /proc."""
    lines = (task / "status").read_text(encoding="ascii").splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def check_thread(fields, user):
    groups = {user.pw_gid, *(g.gr_gid for g in grp.getgrall() if user.pw_name in g.gr_mem)}
    assert set(fields["Uid"].split()) == {str(user.pw_uid)}
    assert set(fields["Gid"].split()) == {str(user.pw_gid)}
    assert set(map(int, fields["Groups"].split())) <= groups
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        assert int(fields[name], 16) & ~NET_BIND_SERVICE == 0, (fields["Name"], name)
    assert fields["NoNewPrivs"] == "1", fields["Name"]


@needs_root
@only_l4lb
@in_namespace
def test_J10x_nobody(stage, way):
    if not (pathlib.Path("/proc/self/uid_map").read_text(encoding="ascii").split()[:2]
            == ["0", "0"]):
        pytest.skip("root of a user namespace only")
    target = stage.target(way, [stage.backend(Ident(name="b"))], user="nobody", workers=2,
                          bind=["127.0.0.1:80", "127.0.0.1:7000"])
    threads = list(pathlib.Path(f"/proc/{target.pid}/task").iterdir())
    assert len(threads) >= 3  # The control thread and two workers.
    for thread in threads:
        check_thread(status(thread), pwd.getpwnam("nobody"))
    control = status(pathlib.Path(f"/proc/{target.pid}/task/{target.pid}"))
    assert int(control["CapEff"], 16) == NET_BIND_SERVICE  # For ports that it binds later.
    assert [port for _, port in target.addresses] == [80, 7000]
    assert all(visit(Entry(address)) == "b" for address in target.addresses)
    assert len(target.access_log(2)) == 2
    target.quiet()


@needs_root
@only_l4lb
def test_J10x_unknown_user(stage, way):
    code, said = failed_start(way, [stage.backend(Ident(name="b"))], stage.folder,
                              user="no-such-user")
    assert code in (1, 2) and "no-such-user" in said, said
