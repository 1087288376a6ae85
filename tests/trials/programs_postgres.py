# SPDX-License-Identifier: Apache-2.0
"""M01: PostgreSQL through the balancer.

`pgbench -i`, then `pgbench -C -c 8 -T 5` (in CI 2 s): a connection per transaction, none may fail.
200 MB go in by COPY FROM STDIN and come out by COPY TO STDOUT with the same SHA-256.  `pg_dump`
says the same as without a balancer.
"""

import hashlib
import random
import re
import subprocess

from kit import Entry, Stage, each_way, limit, scaled
from kit.postgres import postgres, program
from kit.programs import run

import pytest

SECONDS = scaled(2, 5)
LINES, WIDTH = 200_000, 1000  # 200 MB.


@pytest.fixture(scope="module", name="database")
def start_database(tmp_path_factory):
    """A server for all tests of this file."""
    stage = Stage(tmp_path_factory.mktemp("postgres"))
    yield postgres(stage)
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
