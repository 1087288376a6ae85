# SPDX-License-Identifier: Apache-2.0
"""benchmarks/peers/peers.py still runs: short rounds beside HAProxy, nginx and no proxy.

No figure is judged here; that each contender has one, and lost nothing, is.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ["L4LB_BIN_DIR"])


def peers(*flags):
    return subprocess.run(
        [str(ROOT / "benchmarks/peers/peers.py"), f"--l4lb={BIN / 'l4lb'}",
         f"--load={BIN / 'l4lb-load'}", *flags], capture_output=True, text=True, timeout=100,
        check=False)


def test_new_connections_and_system_calls():
    run = peers("--quick", "--rounds=1", "--seconds=0.3", "--case=connect,calls", "--json=-")
    assert run.returncode == 0, run.stderr
    outcome = json.loads(run.stdout)
    assert outcome["failures"] == [], run.stderr
    ours = {name for name in outcome["contenders"] if name.startswith("l4lb")}
    proxies = ours | {"haproxy", "nginx"}
    assert ours and set(outcome["contenders"]) == proxies | {"none"}
    figures = {(result["case"], result["point"], result["measure"]): result["values"]
               for result in outcome["results"]}
    for closer in ("backend", "client"):
        name = f"{closer} closes first"
        assert set(figures["connect", name, "CPU per connection"]) == proxies
        assert set(figures["connect", name, "rate"]) == proxies | {"none"}
    assert all(value > 0 for values in figures.values() for rounds in values.values()
               for value in rounds)
    counted = {(entry["contender"], entry["operation"]) for entry in outcome["system_calls"]}
    assert counted == {(name, what) for name in proxies for what in ("message", "connection")}


@pytest.mark.skipif(not shutil.which("npm"), reason="the page's libraries come from npm")
def test_page_is_drawn_from_figures(tmp_path):
    figures = tmp_path / "figures.json"
    page = tmp_path / "page.html"
    run = peers("--quick", "--rounds=1", "--seconds=0.2", "--case=connect", f"--json={figures}",
                "--contender=none")
    assert run.returncode == 0, run.stderr
    run = peers(f"--from_json={figures}", f"--html={page}")
    assert run.returncode == 0, run.stderr
    text = page.read_text(encoding="utf-8")
    assert len(text) < 600 * 1024
    assert json.loads(figures.read_text(encoding="utf-8"))["command"] in text


def test_unknown_cases_are_named():
    run = peers("--case=ecko")
    assert run.returncode == 2
    assert "no case ecko; there are: echo" in run.stderr
