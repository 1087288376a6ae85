# SPDX-License-Identifier: Apache-2.0
"""A page of --html as a browser without a network shows it: check(path) returns what it became."""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60  # A deadline, not a verdict.
MOST_BYTES = 600 * 1024
# Elements that end where they begin.
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


def browser():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def opened(path, flags=()):
    """(the page's DOM as text, what was said on the console) once its scripts have run."""
    command = [browser(), "--headless", "--disable-gpu", "--disable-dev-shm-usage",
               "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
               "--enable-logging=stderr", "--v=0", "--window-size=1400,3000", *flags]
    if os.geteuid() == 0:
        command.append("--no-sandbox")  # It has none for root.
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [*command, f"--user-data-dir={profile}", "--dump-dom", pathlib.Path(path).as_uri()],
            capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=False)
    assert done.returncode == 0, f"the browser ended with {done.returncode}: {done.stderr}"
    return done.stdout, re.findall(r":CONSOLE[:(].*", done.stderr)


class Outline(html.parser.HTMLParser):
    """The h1, the pictures and the figures of a page."""

    def __init__(self, text):
        super().__init__()
        self.headline = ""
        self.pictures = []  # The aria-label of each SVG that stands in the page, or "".
        self.figures = []  # For each: [its pictures, the rows of its table].
        self.open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "svg" and "svg" not in self.open:
            self.pictures.append((dict(attrs).get("aria-label") or "").strip())
            if "figure" in self.open:
                self.figures[-1][0] += 1
        if tag == "figure":
            self.figures.append([0, 0])
        if tag == "tr" and "figure" in self.open and "tbody" in self.open:
            self.figures[-1][1] += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        while tag in self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "h1" in self.open:
            self.headline += data


def check(path, least_pictures=8):
    """Fails unless the page is whole; returns its DOM as text.  Skips where there is no browser."""
    assert pathlib.Path(path).stat().st_size <= MOST_BYTES
    if browser() is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)}")
    text, console = opened(path)
    assert console == [], "the page's scripts said something on the console"
    outline = Outline(text)
    assert outline.headline.strip(), "no h1 with text"
    assert len(outline.pictures) >= least_pictures, outline.pictures
    assert all(outline.pictures), f"a picture without aria-label: {outline.pictures}"
    assert outline.figures
    bare = [figure for figure in outline.figures if figure[0] > 0 and figure[1] == 0]
    assert not bare, f"figures without a table: {outline.figures}"
    return text
