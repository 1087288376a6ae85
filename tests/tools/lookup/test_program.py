# SPDX-License-Identifier: Apache-2.0
"""l4lb-lookup as a user meets it."""

import json
import os
import pathlib
import re
import subprocess

from browser import check

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("L4LB_BIN_DIR", ROOT / "build/release/bin"))
PATIENCE = 60  # A deadline, not a verdict.
SMALL = ("--quick", "--keys=2000", "--points=40", "--table_sizes=1009")

CASES = ["+1", "-1", "kill 1", "kill 10%", "revive", "weight x2", "8->10", "9->10"]
ROW = {"algorithm", "table_size", "points", "nodes", "lookup_ns", "latency_ns", "build_ms",
       "memory_bytes", "peak_to_mean", "stddev", "disruption"}
CLAIM = {"claim", "expected", "measured", "holds"}


def run(*arguments, status=0):
    done = subprocess.run([BIN / "l4lb-lookup", *arguments], capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == status, f"{done.returncode}: {done.stderr}"
    return done


def test_json_says_all_and_moves_are_the_same_every_time():
    first, second = (json.loads(run(*SMALL, "--json").stdout) for _ in range(2))
    names = [row["algorithm"] for row in first["rows"]]
    assert names == ["modulo", "jump", "rendezvous", "multi_probe", "textbook_ring", "ring",
                     "maglev"]
    for row in first["rows"]:
        assert ROW <= row.keys()
        assert list(row["disruption"]) == CASES
        assert row["lookup_ns"] > 0 and row["latency_ns"] > 0 and row["build_ms"] > 0
        assert row["peak_to_mean"] >= 1
        for movement in filter(None, row["disruption"].values()):
            assert 0 <= movement["ideal"] <= movement["moved"] <= 1
            assert abs(movement["moved"] - movement["ideal"] - movement["extra"]) < 1e-12
    for claim in first["claims"]:
        assert CLAIM <= claim.keys() and isinstance(claim["holds"], bool)
    figures = [[(row["disruption"], row["peak_to_mean"], row["stddev"], row["memory_bytes"])
                for row in found["rows"]] for found in (first, second)]
    assert figures[0] == figures[1]


def test_the_tables_fit_a_terminal_and_the_page_needs_nothing_else(tmp_path):
    page = tmp_path / "lookup.html"
    done = run(*SMALL, "--nodes=10,12", f"--html={page}")
    tables, claims = done.stdout.split("\nClaims\n")
    assert max(map(len, tables.split("\n"))) <= 84
    assert "10 nodes" in tables and "12 nodes" in tables and "maglev 1009" in tables
    assert len(re.findall(r"^  (?:holds|DOES NOT) ", claims, re.M)) >= 10
    assert done.stderr == ""
    text = page.read_text(encoding="utf-8")
    assert "http:" not in text and "https:" not in text
    check(page)


def test_wrong_flags_are_status_2_and_one_line_on_stderr():
    done = run("--node=3", status=2)
    assert done.stdout == ""
    assert done.stderr.startswith("l4lb-lookup: ")
    assert done.stderr.endswith('did you mean "--nodes"?\n')
    assert done.stderr.count("\n") == 1


def test_a_page_that_cannot_be_written_is_status_1():
    done = run(*SMALL, "--html=/no/such/folder/x.html", status=1)
    assert "/no/such/folder/x.html: No such file" in done.stderr
    assert done.stdout == ""  # Said before anything is measured.
