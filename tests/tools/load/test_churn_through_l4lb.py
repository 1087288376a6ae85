# SPDX-License-Identifier: Apache-2.0
"""Ten seconds of unruly sessions through the balancer: no byte lost, repeated or mixed, and every
end arrives as what it was."""

import os
import re
import signal
import subprocess

from kit import BIN, PATIENCE, load, serve

L4LB = os.environ.get("L4LB_BIN", str(BIN / "l4lb"))


def test_churn_through_l4lb():
    with serve("--mode=ask") as one, serve("--mode=ask") as other:
        process = subprocess.Popen(
            [L4LB, "--listen=127.0.0.1:0", f"--backends={one.address},{other.address}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = None
            for line in process.stdout:
                if match := re.match(r"listening\s+(\S+)", line):
                    address = match[1]
                if line == "ready\n":
                    break
            result = load("churn", address, "--ask", "--connections=100", "--duration=10s")
            print(result)
        finally:
            process.send_signal(signal.SIGTERM)
            status = process.wait(PATIENCE)
            process.stdout.close()
    assert status == 0
    assert min(result["ends"].values()) >= 10, result["ends"]
