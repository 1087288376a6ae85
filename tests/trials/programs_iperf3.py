# SPDX-License-Identifier: Apache-2.0
"""iperf3 through the balancer: bulk in both directions at once over four streams, and one stream
alone.

iperf3 checks its own protocol on a control connection and fails when a stream breaks off; each
stream must have moved bytes in its direction.

Its server tells the streams of the two directions apart by the order in which they are accepted,
which is the order in which they were connected only when one worker connects them all: with two, a
quarter of all runs had two streams at which both ends sent, or neither.
"""

import json
import subprocess
import time

from kit import each_way, limit, scaled
from kit.programs import Server, free_port

SECONDS = scaled(2, 5)


def iperf3(target, *flags):
    host, port = target.address
    run = subprocess.run(["iperf3", "-c", host, "-p", str(port), "-t", str(SECONDS), "-J", *flags],
                         capture_output=True, text=True, timeout=limit(SECONDS + 5), check=False)
    report = json.loads(run.stdout)
    assert run.returncode == 0 and "error" not in report, run.stdout[-2000:] + run.stderr
    time.sleep(0.3)  # The server serves one test at a time.
    return report["end"]


@each_way
def test_iperf3(stage, way):
    port = free_port()
    target = stage.target(way, [stage.backend(Server(["iperf3", "-s", "-p", str(port)], port))],
                          workers=1)
    both = iperf3(target, "--bidir", "-P", "4")
    assert len(both["streams"]) == 8
    assert all(stream["receiver"]["bytes"] > 1 << 20 for stream in both["streams"])
    one = iperf3(target)
    assert one["sum_received"]["bytes"] > 10 << 20
    target.quiet()
