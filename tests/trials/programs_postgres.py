# SPDX-License-Identifier: Apache-2.0
"""M01: PostgreSQL through the balancer.

`pgbench -i`, then `pgbench -C -c 8 -T 5` (in CI 2 s): a connection per transaction, none may fail.
200 MB go in by COPY FROM STDIN and come out by COPY TO STDOUT with the same SHA-256.  `pg_dump`
says the same as without a balancer.
"""

import glob
import hashlib
import os
import pwd
import random
import re
import shutil
import signal
import subprocess
import tempfile

from kit import Entry, Stage, each_way, limit, scaled
from kit.programs import Server, free_port, run

import pytest

SECONDS = scaled(2, 5)
LINES, WIDTH = 200_000, 1000  # 200 MB.
OPTIONS = {"fsync": "off", "full_page_writes": "off", "synchronize_seqscans": "off",
           "autovacuum": "off", "max_wal_size": "2GB", "unix_socket_directories": "",
           "listen_addresses": "127.0.0.1"}


def program(name):
    return sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))[-1]


def as_user(user, command):
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups",
            *command]


@pytest.fixture(scope="module", name="database")
def start_database(tmp_path_factory):
    """A server for all tests of this file."""
    stage = Stage(tmp_path_factory.mktemp("postgres"))
    user = pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    folder = tempfile.mkdtemp(prefix="l4lb-postgres-")  # Others must get there: not pytest's.
    stage.keep(folder, lambda: shutil.rmtree(folder))
    os.chown(folder, user.pw_uid, user.pw_gid)
    run(as_user(user, [program("initdb"), "-D", f"{folder}/data", "-U", "postgres", "-A", "trust",
                       "--no-sync"]), 20, cwd=folder)
    port = free_port()
    settings = [word for pair in OPTIONS.items() for word in ("-c", "=".join(pair))]
    command = [program("postgres"), "-D", f"{folder}/data", "-p", str(port), *settings]
    yield stage.backend(Server(as_user(user, command), port, cwd=folder,
                               stop_signal=signal.SIGINT))
    stage.put_away()


def client(target, name, *arguments):
    host, port = target.address
    return [program(name), "-h", host, "-p", str(port), "-U", "postgres", *arguments]


def sql(target, text, **options):
    return run(client(target, "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text,
                      "postgres"), 10, **options)


def dump(target):
    """What pg_dump says of pgbench's tables, without the lines that hold a random key."""
    text = run(client(target, "pg_dump", "-t", "pgbench_*", "postgres"), 10)
    return [line for line in text.splitlines() if not re.match(r"\\(un)?restrict ", line)]


@each_way
def test_postgres_pgbench_and_dump(stage, way, database):
    target = stage.target(way, [database])
    run(client(target, "pgbench", "-i", "-q", "-s", "2", "postgres"), 20)
    said = run(client(target, "pgbench", "-C", "-c", "8", "-j", "2", "-T", str(SECONDS), "-n",
                      "postgres"), SECONDS + 10)
    assert "number of failed transactions: 0 (" in said, said
    done = int(re.search(r"transactions actually processed: (\d+)", said)[1])
    assert done > 10 * SECONDS, said
    if target.is_l4lb:
        assert target.listener()["accepted"] >= done
    text = dump(target)
    assert len(text) > 200_000 and text == dump(Entry(database.address))
    target.quiet()


@pytest.fixture(scope="module", name="lines")
def make_lines(tmp_path_factory):
    """A file of 200 MB in rows of one column."""
    path, source = tmp_path_factory.mktemp("lines") / "lines", random.Random(1)
    with open(path, "wb") as file:
        for _ in range(LINES // 1000):
            text = source.randbytes(1000 * (WIDTH // 2)).hex()
            file.writelines(text[i:i + WIDTH].encode() + b"\n"
                            for i in range(0, len(text), WIDTH))
    assert path.stat().st_size == LINES * (WIDTH + 1)
    yield path
    path.unlink()


def copied_out(target):
    """The digest of the table as COPY TO STDOUT has it."""
    digest = hashlib.sha256()
    with subprocess.Popen(client(target, "psql", "-X", "-q", "-c", "COPY bulk TO STDOUT",
                                 "postgres"), stdout=subprocess.PIPE) as psql:
        for piece in iter(lambda: psql.stdout.read(1 << 20), b""):
            digest.update(piece)
        assert psql.wait(limit(20)) == 0
    return digest.hexdigest()


@each_way
def test_postgres_copy(stage, way, database, lines):
    target = stage.target(way, [database])
    with open(lines, "rb") as file:
        expected = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        sql(target, "DROP TABLE IF EXISTS bulk; CREATE UNLOGGED TABLE bulk (line text)")
        sql(target, "COPY bulk FROM STDIN", stdin=file)
    assert sql(target, "SELECT count(*) FROM bulk").strip() == str(LINES)
    assert copied_out(target) == expected
    sql(target, "DROP TABLE bulk")
    target.quiet()
