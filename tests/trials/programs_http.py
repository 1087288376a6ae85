# SPDX-License-Identifier: Apache-2.0
"""HTTP through the balancer: nginx behind it, wrk before it.

Kept connections and `Connection: close`, small answers and 200 KiB ones.  Expected of wrk: no
socket error, no answer but 2xx.
"""

import re
import subprocess

from kit import each_way, limit, scaled
from kit.nginx import nginx

SECONDS = scaled(1, 3)


def wrk(target, path, *flags):
    host, port = target.address
    run = subprocess.run(["wrk", "-t1", f"-d{SECONDS}s", *flags, f"http://{host}:{port}{path}"],
                         capture_output=True, text=True, timeout=limit(SECONDS + 5), check=False)
    report = run.stdout + run.stderr
    assert run.returncode == 0, report
    assert "Socket errors" not in report and "Non-2xx" not in report, report
    assert int(re.search(r"(\d+) requests in", report)[1]) > 0, report


@each_way
def test_http_wrk(stage, way, tmp_path):
    (tmp_path / "big").write_bytes(bytes(200 << 10))
    (tmp_path / "small").write_bytes(b"small")
    target = stage.target(way, [nginx(stage, tmp_path)])
    wrk(target, "/small", "-c64")
    wrk(target, "/small", "-c512")
    wrk(target, "/big", "-c64")
    wrk(target, "/small", "-c64", "-H", "Connection: close")
    target.quiet()
