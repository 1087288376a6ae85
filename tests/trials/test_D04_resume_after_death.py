# SPDX-License-Identifier: Apache-2.0
"""D04: the reader resumes after the other side has died.

The backend sends up to 5 MiB, as far as they are taken, and resets while the client is paused;
the client resumes after 1 s. 200 times, 20 at a time (CI: 60). Under a sanitizer build a use of
the dead peer shows. Expected: the same process lives on, and each client has a right prefix and
then, within 2 s, an end.
"""

import time

from kit import (Script, each_way, limit, linger0, receive, scaled, send_until_blocked, together)

TIMES = scaled(60, 200)


def send_and_reset(sock, _index):
    sent = send_until_blocked(sock, 4, still=0.2, most=5 << 20)
    linger0(sock)
    return sent


@each_way
def test_D04_resume_after_death(stage, way):
    backend = stage.backend(Script(send_and_reset, forked=True))
    target = stage.target(way, [backend])

    def client(_):
        sock = stage.connect(target)
        time.sleep(1)
        arrival = receive(sock, limit(2), seed=4)
        sock.close()
        return arrival

    for arrival in together(TIMES, 20, client):
        assert arrival.end in ("fin", "reset") and arrival.count <= 5 << 20
    target.expect_reasons(backend_reset=TIMES)
    target.quiet()
