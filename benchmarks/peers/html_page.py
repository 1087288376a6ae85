# SPDX-License-Identifier: Apache-2.0
"""The HTML report of peers.py: one file that draws itself and asks the network for nothing."""

import json
import os
import pathlib
import shutil
import subprocess

WEB = pathlib.Path(__file__).resolve().parent / "web"
# Its page.html and base.css are what this page has in common with those of the tools.
KIT = pathlib.Path(__file__).resolve().parents[2] / "tools/kit/web"
FROM_NPM = ("package.json", "package-lock.json", ".npmrc")


class BuildError(RuntimeError):
    """The script of the page could not be built."""


def build(root):
    """The page's script, with Observable Plot in it, bundled by esbuild.

    Libraries are installed into build/bench-web by the lock file, once for each lock file.
    """
    if not shutil.which("npm"):
        raise BuildError("--html needs node and npm (Debian: apt-get install nodejs npm)")
    folder = root / "build/bench-web"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / "installed"
    lock = (WEB / "package-lock.json").read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != lock:
        for name in FROM_NPM:
            shutil.copy(WEB / name, folder / name)
        run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder)
        stamp.write_text(lock, encoding="utf-8")
    output = folder / "report.js"
    run([str(folder / "node_modules/.bin/esbuild"), str(WEB / "report.js"), "--bundle", "--minify",
         "--format=iife", "--target=es2020", "--legal-comments=none", "--log-level=warning",
         f"--outfile={output}"], folder, {"NODE_PATH": str(folder / "node_modules")})
    return output.read_text(encoding="utf-8")


def run(command, folder, environment=None):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(environment or {})}, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command[:2])}: {(done.stderr or done.stdout)[-2000:]}")


def inside_script(text):
    """Text that may stand between <script> and </script>."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def page(outcome, script):
    """The whole page."""
    template = (KIT / "page.html").read_text(encoding="utf-8")
    style = "".join(path.read_text(encoding="utf-8")
                    for path in (KIT / "base.css", WEB / "page.css"))
    parts = {"{{title}}": "l4lb beside HAProxy and nginx", "{{style}}": style, "{{data}}": inside_script(json.dumps(outcome)),
             "{{script}}": inside_script(script)}
    for place, text in parts.items():
        template = template.replace(place, text, 1)
    return template
