# SPDX-License-Identifier: Apache-2.0
"""K02: checks must not get the balancer's address blocked by MySQL.

MariaDB with `max_connect_errors` of 10, in a network of its own, since the addresses 127.* are
never blocked.  The check that docs/explanation/health.md recommends logs in as a user without
rights and leaves as the protocol has it: hello() below.  50 checks, then 5 logins through the
balancer.  Expected: all checks pass, `Aborted_connects` has not grown, the logins succeed.

Then bare `tcp` checks, which proves the first part and what the documents warn of: each one counts
as aborted, and after 10 of them nobody gets in any more.
"""

import pathlib
import shutil
import subprocess

from kit import limit, only_l4lb, wait_until
from kit.api import Api
from kit.health import every
from kit.namespace import add_addresses, in_namespace
from kit.programs import Server, as_user, free_port, own_folder, run

import pytest

HOST = "10.99.0.1"
CHECKS, ERRORS, LOGINS, INTERVAL = 50, 10, 5, 0.05
# MariaDB remembers the errors of those only whose name it can look up, or who have none for sure.
WITH_HOSTS = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"']
CHECKER = "l4lb"  # CREATE USER 'l4lb'@'%'; no password, no rights.


def hello(user):
    """What a client of the protocol 4.1 says to log in without a password, and then to leave."""
    login = (0x8200.to_bytes(4, "little") + (1 << 24).to_bytes(4, "little") + b"\x21" + bytes(23)
             + user.encode() + b"\0" + b"\0")
    leave = b"\x01"
    return (len(login).to_bytes(3, "little") + b"\x01" + login
            + len(leave).to_bytes(3, "little") + b"\x00" + leave)


WELCOME = r"\x00\x00\x02\x00\x00\x00"  # An answer with the number 2: OK, nothing done.
RECOMMENDED = every(INTERVAL, "send_expect", send_hex=hello(CHECKER).hex(), expect_regex=WELCOME)


class Database(Server):
    """MariaDB on HOST; root has no password, and its files are in a folder of its own."""

    def __init__(self, stage):
        port, (user, folder) = free_port(), own_folder(stage, "mysql")
        install = ["mariadb-install-db", "--no-defaults", f"--datadir={folder}/data",
                   "--auth-root-authentication-method=normal", "--skip-test-db",
                   f"--user={user.pw_name}"]
        run(as_user(user, install), within=30, cwd=folder)
        hosts = pathlib.Path(folder, "hosts")
        hosts.write_text(f"127.0.0.1 localhost\n{HOST} balancer\n", encoding="ascii")
        serve = [mariadbd(), "--no-defaults", f"--datadir={folder}/data", f"--bind-address={HOST}",
                 f"--port={port}", f"--socket={folder}/socket", f"--pid-file={folder}/pid",
                 f"--user={user.pw_name}", f"--max_connect_errors={ERRORS}"]
        super().__init__([*WITH_HOSTS, str(hosts), *as_user(user, serve)], port, cwd=folder)
        self.host, self._socket = HOST, f"{folder}/socket"

    def sql(self, text):
        """By the UNIX socket, which is nobody's host."""
        return run(["mariadb", "--no-defaults", "-u", "root", "-S", self._socket, "-N", "-B",
                    "-e", text], within=5)

    def aborted(self):
        return int(self.sql("SHOW GLOBAL STATUS LIKE 'Aborted_connects'").split()[1])


def mariadbd():
    return shutil.which("mariadbd", path="/usr/sbin:/usr/bin")


def check_often(stage, way, database, check):
    """The daemon after so many checks, and what the API says of them."""
    target = stage.target(way, [database], health_check=check)
    api = Api(target)

    def ended():
        check = api.backends()["b1"]["check"]
        return check if check["passed"] + check["failed"] >= CHECKS else None
    return target, wait_until(ended, limit(1.1 * CHECKS * INTERVAL + 1), f"{CHECKS} checks")


def log_in(target):
    """How many of the visitor's logins through the balancer succeed, and what the last one says."""
    host, port = target.address
    done = [subprocess.run(["mariadb", "--no-defaults", "-h", host, "-P", str(port), "-u",
                            "visitor", "-psecret", "--skip-ssl", "-N", "-B", "-e", "SELECT 42"],
                           capture_output=True, text=True, timeout=limit(5), check=False)
            for _ in range(LOGINS)]
    good = sum(d.returncode == 0 and d.stdout.strip() == "42" for d in done)
    return good, done[-1].stderr


@only_l4lb
@in_namespace
def test_K02_mysql_blocks(stage, way):
    if not mariadbd() or not shutil.which("mariadb-install-db"):
        pytest.skip("no MariaDB")
    add_addresses(f"{HOST}/32")
    database = stage.backend(Database(stage))
    database.sql(f"CREATE USER '{CHECKER}'@'%'; CREATE USER 'visitor'@'%' IDENTIFIED BY 'secret'")
    before = database.aborted()
    target, check = check_often(stage, way, database, RECOMMENDED)
    assert (check["failed"], check["health"]) == (0, "up"), check
    assert log_in(target)[0] == LOGINS
    assert database.aborted() == before
    target.quiet(rest=False)
    target.stop()
    page = pathlib.Path(__file__).parents[2] / "docs/explanation/health.md"
    recommended = "".join(page.read_text(encoding="utf-8").split())
    assert hello(CHECKER).hex() in recommended and WELCOME in recommended

    before = database.aborted()
    target, _ = check_often(stage, way, database, every(INTERVAL))
    assert database.aborted() - before >= CHECKS - 2
    good, said = log_in(target)
    assert good == 0 and "is blocked" in said, said
    target.quiet()
