# SPDX-License-Identifier: Apache-2.0
"""The pages of l4lb-lab in a browser: the one of --html, and the one with sliders."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

import browser
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("L4LB_BIN_DIR", ROOT / "build/release/bin"))
PATIENCE = 60  # A deadline, not a verdict.


@contextlib.contextmanager
def served():
    """The address of a page that is served."""
    with subprocess.Popen([BIN / "l4lb-lab", "serve", "--listen=127.0.0.1:0"],
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().split()[1]
            assert process.stdout.readline() == "ready\n"
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0


def get(address, **headers):
    """(status, body)"""
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def dom_of(address):
    """What the page becomes; time goes on until nothing is awaited any more."""
    command = [browser.browser(), "--headless", "--disable-gpu", "--disable-dev-shm-usage",
               "--virtual-time-budget=8000", "--window-size=1400,3000", "--dump-dom"]
    if os.geteuid() == 0:
        command.append("--no-sandbox")
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([*command, f"--user-data-dir={profile}", address], text=True,
                              capture_output=True, timeout=PATIENCE, check=True).stdout


def test_the_written_page_is_whole(tmp_path):
    page = tmp_path / "lab.html"
    subprocess.run([BIN / "l4lb-lab", "simulate", "--scene=slow", "--claims", "--claim_seeds=100",
                    f"--html={page}"], check=True, capture_output=True, timeout=PATIENCE)
    text = browser.check(page, least_pictures=7)
    assert "a queue grows without end" in text
    assert "does not" in text and "holds" in text


def test_a_page_that_cannot_be_written_is_status_1():
    done = subprocess.run([BIN / "l4lb-lab", "simulate", "--html=/no/such/folder/x.html"],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert "/no/such/folder/x.html: No such file" in done.stderr


def test_the_address_carries_the_settings():
    if browser.browser() is None:
        pytest.skip("no browser")
    with served() as address:
        text = dom_of(f"{address}?scene=herd&balancers=4&policies=p2c")
    assert "4 balancers" in text and "l4lb-lab simulate --scene=herd --balancers=4" in text
    assert 'aria-pressed="true"' in text
    assert text.count("<svg") == 5


def test_only_this_machine_is_answered():
    with served() as address:
        status, body = get(f"{address}simulate?scene=equal&seeds=1")
        assert status == 200 and json.loads(body)["requests"] > 10_000
        assert get(address, Host="evil.example")[0] == 403
        assert get(f"{address}other")[0] == 404
        status, body = get(f"{address}simulate?slow=9")
        assert status == 400 and "at most 4" in body
        ours = f"{address}simulate?seeds=1"
        assert get(ours, Origin=address.rstrip("/"))[0] == 200
        assert get(ours, Origin="http://evil.example")[0] == 403
        for site, status in (("same-origin", 200), ("none", 200), ("cross-site", 403)):
            assert get(ours, **{"Sec-Fetch-Site": site})[0] == status


def test_no_question_is_too_much():
    """Few requests may still need much memory, or many runs."""
    with served() as address:
        for query in ("backends=10000&utilisation=0.1&duration=1ms&seeds=10000",
                      "backends=10000&balancers=1000&duration=1ms&seeds=1",
                      "connections=1000000&duration=1ms&seeds=100"):
            status, body = get(f"{address}simulate?{query}")
            assert status == 400 and "too much for a page" in body, body


def test_a_listener_for_others_is_refused():
    done = subprocess.run([BIN / "l4lb-lab", "serve", "--listen=:9910"], capture_output=True,
                          text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2 and "can be reached by others" in done.stderr
