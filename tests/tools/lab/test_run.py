# SPDX-License-Identifier: Apache-2.0
"""What must show over real TCP, by `l4lb-lab run`."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("L4LB_BIN_DIR", ROOT / "build/release/bin"))
PATIENCE = 200  # A deadline, not a verdict.


def run(*arguments):
    done = subprocess.run([BIN / "l4lb-lab", "run", "--json", *arguments], capture_output=True,
                          text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    if any(one["disturbed"] for row in found["rows"] for one in row["runs"]):
        pytest.skip("the machine is busy with other things")
    return found


def hold(found):
    assert found["claims"]
    assert [claim for claim in found["claims"] if not claim["holds"]] == []
    assert all(one["failed"] == 0 for row in found["rows"] for one in row["runs"])


def test_a_slow_backend_ruins_those_that_do_not_look():
    hold(run("--scene=slow", "--queue_per=backend", "--duration=4s"))


def test_a_server_that_is_added_adds_capacity():
    hold(run("--scene=add-server", "--queue_per=pool", "--policies=least_connections",
             "--duration=4s", "--join_at=2s"))


def test_checks_that_ask_the_database_take_everything_out():
    found = run("--scene=slow-database", "--duration=4s")
    assert [claim["holds"] for claim in found["claims"]] == [True, True, True]
    for row in found["rows"]:
        failed = row["runs"][0]["failed"]
        assert (failed > 100) == (row["label"] == "ask the database"), row["label"]
