# SPDX-License-Identifier: Apache-2.0
"""l4lb-lab as a user meets it."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("L4LB_BIN_DIR", ROOT / "build/release/bin"))
PATIENCE = 100  # A deadline, not a verdict.


def run(*arguments, status=0, locale="C.UTF-8"):
    done = subprocess.run([BIN / "l4lb-lab", *arguments], capture_output=True, text=True,
                          timeout=PATIENCE, check=False, env={**os.environ, "LC_ALL": locale})
    assert done.returncode == status, f"{done.returncode}: {done.stderr}"
    return done


def test_json_is_the_same_every_time():
    arguments = ("simulate", "--scene=slow", "--json", "--policies=all", "--duration=2s")
    first, second = run(*arguments).stdout, run(*arguments, "--threads=1").stdout
    assert first == second
    found = json.loads(first)
    assert [row["policy"] for row in found["policies"]] == [
        "round_robin", "random", "least_connections", "p2c", "maglev", "ring"]


def test_the_tables_fit_a_terminal():
    done = run("simulate", "--scene=slow", "--claims", "--claim_seeds=100")
    assert max(map(len, done.stdout.split("\n"))) <= 104
    assert "\u2588" in done.stdout
    assert "holds" in done.stdout and done.stderr == ""


def test_another_locale_has_no_block_characters():
    assert run("simulate", "--duration=1s", locale="C").stdout.isascii()
    assert run("simulate", "--duration=1s", "--ascii").stdout.isascii()


def test_wrong_flags_are_status_2_and_one_line_on_stderr():
    done = run("simulate", "--polices=p2c", status=2)
    assert done.stdout == ""
    assert done.stderr.startswith("l4lb-lab: ")
    assert done.stderr.endswith('did you mean "--policies"?\n')
    assert done.stderr.count("\n") == 1
