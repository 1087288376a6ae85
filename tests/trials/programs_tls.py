# SPDX-License-Identifier: Apache-2.0
"""M09: TLS passed through: nothing is cut, not even the last record.

`openssl s_server -rev` and `openssl s_client`: the session ends with close_notify from both sides,
which s_client reports as an orderly `closed`.  nginx with TLS: curl downloads 50 MiB, several
times at once, and every digest is right.
"""

import hashlib
import random
import subprocess
import time

from kit import each_way, limit, scaled, together
from kit.nginx import certificate, nginx
from kit.programs import Server, free_port

SIZE = 50 << 20
DOWNLOADS = scaled(3, 20)


@each_way
def test_tls_close_notify(stage, way, tmp_path):
    cert, key = certificate(tmp_path)
    port = free_port()
    target = stage.target(way, [stage.backend(Server(
        ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", str(cert), "-key",
         str(key), "-rev", "-quiet"], port))])
    host, entry = target.address
    session = subprocess.Popen(
        ["openssl", "s_client", "-connect", f"{host}:{entry}", "-servername", "localhost",
         "-ign_eof", "-nocommands"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    stage.keep(session, lambda: (session.kill(), session.wait()))
    for word in ("straight", "sdrawkcab"):
        session.stdin.write(word + "\n")
        session.stdin.flush()
        time.sleep(0.5)
    # -rev answers a line CLOSE by closing in order.
    session.stdin.write("CLOSE\n")
    session.stdin.flush()
    said, _ = session.communicate(timeout=limit(5))
    assert "thgiarts" in said and "backwards" in said
    assert "closed" in said.split("backwards")[1].split(), said[-500:]
    assert "unexpected eof" not in said and "errno" not in said, said[-500:]
    assert session.returncode == 0
    target.quiet()


@each_way
def test_tls_download(stage, way, tmp_path):
    content = random.Random(50).randbytes(SIZE)
    (tmp_path / "file").write_bytes(content)
    target = stage.target(way, [nginx(stage, tmp_path, tls=certificate(tmp_path))])
    host, port = target.address

    def download(_index):
        run = subprocess.run(["curl", "-k", "-s", "-S", "-f", f"https://{host}:{port}/file"],
                             capture_output=True, timeout=limit(20), check=True)
        return hashlib.sha256(run.stdout).hexdigest()

    digests = together(DOWNLOADS, 4, download)
    assert set(digests) == {hashlib.sha256(content).hexdigest()}
    target.quiet()
