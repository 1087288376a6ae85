# SPDX-License-Identifier: Apache-2.0
"""benchmarks/peers/spine.py still runs: one short round of two cases, beside HAProxy and nginx.

No figure is judged here; that each contender has one is.
"""

import json
import subprocess

from kit import limit
from kit.daemon import BINARY, ROOT


def test_peers_spine():
    run = subprocess.run(
        [str(ROOT / "benchmarks/peers/spine.py"), f"--l4lb={BINARY}", "--quick", "--rounds=1",
         "--case=iperf-1,wrk-64", "--json=-"], capture_output=True, text=True, timeout=limit(20),
        check=False)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["failures"] == 0, run.stderr
    figures = {(result["case"], result["measure"]): result for result in report["results"]}
    assert set(figures) == {("iperf-1", "throughput"), ("iperf-1", "CPU per GB"),
                            ("wrk-64", "requests"), ("wrk-64", "CPU per request")}
    for result in figures.values():
        assert set(result["values"]) == {"l4lb", "haproxy", "nginx"}
        assert all(value > 0 for values in result["values"].values() for value in values)
