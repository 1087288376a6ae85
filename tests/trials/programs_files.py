# SPDX-License-Identifier: Apache-2.0
"""M08: git, rsync and `nc -N` through the balancer.

`git daemon`: a repository of 20 MiB is cloned, 20 MiB more (in CI 5) are committed and pushed.
rsync: 1,000 files to a module and back, with --compress.  `nc -N` uploads a file to a server that
replies `0123456` after the end.  Expected: trees identical, every exit status 0, the reply printed,
and no command takes longer than twice what it takes without a balancer and 1 s.
"""

import os
import random
import subprocess
import time

from kit import Direct, Script, each_engine, limit, pattern, receive, scaled
from kit.programs import Server, free_port, run

SIZE, MORE = 20 << 20, scaled(5, 20) << 20
FILES = 1000
ENVIRONMENT = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
               "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.compression",
               "GIT_CONFIG_VALUE_0": "0",  # What the trial is about are bytes on the wire.
               "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@trial.example",
               "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@trial.example"}


def git(*arguments, within=20):
    return run(["git", *arguments], within, env=ENVIRONMENT).strip()


def commit(work, name, seed, size):
    """Adds a file of so many bytes."""
    (work / name).write_bytes(random.Random(seed).randbytes(size))
    git("-C", work, "add", name)
    git("-C", work, "commit", "-q", "-m", name)


def git_daemon(stage, folder):
    """It serves the bare repository folder/repo."""
    work, port = folder / "work", free_port()
    git("init", "-q", "-b", "main", work)
    commit(work, "first", 1, SIZE)
    git("clone", "-q", "--bare", work, folder / "repo")
    return stage.backend(Server(
        ["git", "daemon", "--listen=127.0.0.1", f"--port={port}", "--reuseaddr", "--export-all",
         "--enable=receive-pack", f"--base-path={folder}", str(folder)], port))


def clone_and_push(target, folder, name, seed):
    """Seconds for the clone and the push; the branch `name` is then in the repository."""
    host, port = target.address
    begin = time.monotonic()
    git("clone", "-q", f"git://{host}:{port}/repo", folder / name)
    cloned = time.monotonic()
    commit(folder / name, name, seed, MORE)
    committed = time.monotonic()
    git("-C", folder / name, "push", "-q", "origin", f"HEAD:{name}")
    pushed = time.monotonic()
    ours, theirs = (git("-C", folder / place, "rev-parse", f"{rev}^{{tree}}")
                    for place, rev in ((name, "HEAD"), ("repo", name)))
    assert ours == theirs
    return cloned - begin, pushed - committed


def compare(through, direct):
    assert all(t <= limit(2 * d + 1) for t, d in zip(through, direct)), (through, direct)


@each_engine
def test_git(stage, way, tmp_path):
    server = git_daemon(stage, tmp_path)
    target = stage.target(way, [server])
    direct = clone_and_push(Direct(server), tmp_path, "direct", 2)
    compare(clone_and_push(target, tmp_path, "through", 3), direct)
    git("-C", tmp_path / "repo", "fsck")
    assert {path.name for path in (tmp_path / "through").glob("[a-z]*")} == {"first", "through"}
    target.quiet()


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def make_files(folder):
    """Half of them compress well."""
    chance = random.Random(8)
    for number in range(FILES):
        path = folder / f"d{number % 20}" / f"f{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        data = chance.randbytes(chance.randint(0, 20_000))
        path.write_bytes(data if number % 2 else data.hex().encode())


def rsync_daemon(stage, folder):
    port = free_port()
    config = folder / "rsyncd.conf"
    config.write_text(
        f"use chroot = no\nuid = {os.geteuid()}\ngid = {os.getegid()}\n[m]\n"
        f"path = {folder}/module\nread only = no\n", encoding="utf-8")
    (folder / "module").mkdir()
    return stage.backend(Server(["rsync", "--daemon", "--no-detach", "--address=127.0.0.1",
                                 f"--port={port}", f"--config={config}"], port))


def up_and_down(target, folder, name):
    """Seconds for each way; the files end up in folder/name."""
    url = "rsync://{}:{}/m/{}/".format(*target.address, name)
    begin = time.monotonic()
    run(["rsync", "-a", "--compress", f"{folder}/files/", url], 20)
    there = time.monotonic()
    run(["rsync", "-a", "--compress", url, folder / name], 20)
    return there - begin, time.monotonic() - there


@each_engine
def test_rsync(stage, way, tmp_path):
    server = rsync_daemon(stage, tmp_path)
    target = stage.target(way, [server])
    make_files(tmp_path / "files")
    direct = up_and_down(Direct(server), tmp_path, "direct")
    compare(up_and_down(target, tmp_path, "through"), direct)
    expected = contents(tmp_path / "files")
    assert len(expected) == FILES
    assert contents(tmp_path / "module/through") == expected
    assert contents(tmp_path / "through") == expected
    target.quiet()


def upload(target, path):
    """What `nc -N` prints, and its seconds."""
    begin = time.monotonic()
    with open(path, "rb") as file:
        done = subprocess.run(["nc", "-N", *map(str, target.address)], stdin=file, check=True,
                              capture_output=True, timeout=limit(10))
    return done.stdout, time.monotonic() - begin


@each_engine
def test_nc(stage, way, tmp_path):
    def reply_at_the_end(sock, _index):
        arrival = receive(sock, limit(10), seed=8)
        sock.sendall(b"0123456")
        return arrival.count

    backend = stage.backend(Script(reply_at_the_end))
    target = stage.target(way, [backend])
    (tmp_path / "file").write_bytes(pattern(8).bytes(SIZE))
    said, direct = upload(Direct(backend), tmp_path / "file")
    assert said == b"0123456"
    for _ in range(5):
        said, took = upload(target, tmp_path / "file")
        assert said == b"0123456"
        compare([took], [direct])
    assert backend.results == [SIZE] * 6
    target.quiet()
