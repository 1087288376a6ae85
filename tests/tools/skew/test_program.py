# SPDX-License-Identifier: Apache-2.0
"""l4lb-skew as a user meets it: real HTTP/2 over real sockets, at a small size.

What is asserted is the effect (who gets requests and who does not), never a time.
"""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from browser import check

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("L4LB_BIN_DIR", ROOT / "build/release/bin"))
PATIENCE = 60  # A deadline, not a verdict.
LAYER4 = ("round_robin", "random", "least_connections", "p2c", "maglev", "ring")


def small(**flags):
    """A run of seconds.  What is not said here is as it is by default."""
    wanted = {"backends": 2, "clients": 12, "rate": 240, "add_at": "700ms", "duration": "2s",
              "age": "1s", **flags}
    return [f"--{name}={value}" for name, value in wanted.items()]


def proxy_is_there():
    return any(shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
               for name in ("haproxy", "nghttpx"))


def run(*arguments, status=0):
    done = subprocess.run([BIN / "l4lb-skew", *arguments], capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == status, f"{done.returncode}: {done.stderr}"
    return done


def modes_of(**flags):
    found = json.loads(run(*small(**flags), "--json").stdout)["modes"]
    for mode in found:
        assert mode["sent"] == mode["answered"] > 100 and mode["errors"] == 0, mode
        assert abs(sum(mode["before"]["share"]) - 1) < 1e-3, mode
    return {mode["mode"]: mode for mode in found}


def test_no_policy_of_layer_4_gives_a_new_backend_anything():
    found = modes_of(modes=",".join(LAYER4), duration="1400ms")
    assert tuple(found) == LAYER4
    for mode in found.values():
        assert mode["since_added"]["share"][2] < 0.02, mode
        assert mode["seconds_to_fair"] is None
        assert mode["connections_cut"] == mode["retries"] == 0


def test_an_age_limit_does_and_rebalance_with_fewer_cuts():
    found = modes_of(modes="age,rebalance", duration="5s")
    for mode in found.values():
        assert mode["after"]["share"][2] > 0.15, mode
        assert mode["jain"] > 0.9
    assert found["age"]["connections_cut"] >= 12
    assert 3 <= found["rebalance"]["connections_cut"] <= 5


def test_a_choice_for_every_request_does_at_once():
    found = modes_of(modes="client,layer7")
    assert "client" in found and ("layer7" in found or not proxy_is_there())
    for mode in found.values():
        assert mode["since_added"]["share"][2] > 0.25, mode
        assert mode["seconds_to_fair"] is not None
        assert mode["connections_cut"] == 0


def test_removed_backends_leave_no_request_behind():
    found = modes_of(modes="least_connections,client,layer7", remove=1, remove_at="1300ms",
                     duration="3500ms")
    for mode in found.values():
        gone, stays = mode["removed"]["requests"][:2]
        assert gone < 0.7 * stays, mode  # At layer 4 connections may go on for a second.
        if mode["kind"] != "layer4":
            assert gone < 0.05 * stays, mode


def test_csv_and_table_are_of_the_same_things():
    rows = list(csv.DictReader(io.StringIO(run(*small(modes="client"), "--csv").stdout)))
    assert [row["backend"] for row in rows] == ["a", "b", "c"]
    assert [row["added"] for row in rows] == ["0", "0", "1"]
    assert all(abs(float(row["fair_share"]) - 1 / 3) < 1e-5 for row in rows)
    table = run(*small(modes="client"), "--ascii").stdout
    assert re.search(r"^  client +#+ +\d+\.\d %", table, re.M), table
    assert table.isascii()


def test_the_page_needs_nothing_else_and_draws_itself(tmp_path):
    page = tmp_path / "skew.html"
    done = run(*small(modes="least_connections,age,client", html=page))
    assert done.stderr == ""
    assert page.stat().st_size < 600 * 1024
    check(page)


def test_being_stopped_is_said_and_what_was_seen_is_shown():
    with subprocess.Popen([BIN / "l4lb-skew", *small(duration="30s"), "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    said = json.loads(out)
    assert said["interrupted"] and len(said["modes"]) == 1


def test_wrong_flags_are_status_2_and_one_line_on_stderr():
    done = run("--client=3", status=2)
    assert done.stdout == ""
    assert done.stderr.startswith("l4lb-skew: ")
    assert done.stderr.endswith('did you mean "--clients"?\n')
    assert done.stderr.count("\n") == 1


def test_more_connections_than_files_are_refused_at_once():
    done = subprocess.run(["prlimit", "--nofile=300", BIN / "l4lb-skew", "--modes=client"],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert "open files, and the limit (ulimit -n) is 300" in done.stderr


def test_more_work_than_backends_can_do_is_noted():
    done = run(*small(modes="p2c", rate=400, backends=1, service_time="5ms"))
    assert "keep 1 backends 200 % busy: queues grow" in done.stderr


def test_what_was_seen_before_a_failure_is_shown(tmp_path):
    broken = tmp_path / "haproxy"
    broken.write_text("#!/bin/sh\n[ $1 = -v ] && echo HAProxy version 2.6.0 && exit\n"
                      "echo broken >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    done = subprocess.run([BIN / "l4lb-skew", *small(modes="p2c,layer7", l7="haproxy"), "--json"],
                          env=dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}"),
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert [mode["mode"] for mode in json.loads(done.stdout)["modes"]] == ["p2c"]
    assert done.stderr.startswith("l4lb-skew: layer7: ") and "broken" in done.stderr


def test_a_page_that_cannot_be_written_is_status_1():
    done = run(*small(html="/no/such/folder/x.html"), status=1)
    assert "/no/such/folder/x.html: No such file" in done.stderr
    assert done.stdout == ""  # Said before anything is run.
