# SPDX-License-Identifier: Apache-2.0
"""The page of `l4lb-lab serve`, used by hand: serve_page/check.mjs drives it in a browser.

Screenshots of every look are left in build/serve-page/pictures, to be looked at.
"""

import pathlib
import shutil
import subprocess

import browser
import pytest
from test_page import ROOT, served

HERE = pathlib.Path(__file__).resolve().parent / "serve_page"
LIBRARIES = ROOT / "build/serve-page"
FROM_NPM = ("package.json", "package-lock.json", ".npmrc")
PATIENCE = 300  # A deadline, not a verdict.


def installed():
    """The folder with playwright-core, installed once for each lock file."""
    LIBRARIES.mkdir(parents=True, exist_ok=True)
    stamp = LIBRARIES / "installed"
    lock = (HERE / "package-lock.json").read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != lock:
        for name in FROM_NPM:
            shutil.copy(HERE / name, LIBRARIES / name)
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
                              cwd=LIBRARIES, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        if done.returncode != 0:  # No network, most likely; that is no fault of the page.
            pytest.skip(f"npm ci in {LIBRARIES}: {done.stderr or done.stdout}")
        stamp.write_text(lock, encoding="utf-8")
    return LIBRARIES


def needs():
    """Skips where the page cannot be opened."""
    if browser.browser() is None:
        pytest.skip(f"no browser: none of {', '.join(browser.BROWSERS)}")
    for program in ("npm", "node"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} (Debian: apt-get install nodejs npm)")


def test_the_page_does_what_its_sliders_say():
    needs()
    libraries = installed()
    pictures = libraries / "pictures"
    pictures.mkdir(exist_ok=True)
    with served() as address:
        done = subprocess.run(["node", HERE / "check.mjs", address, browser.browser(), libraries,
                               pictures],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
