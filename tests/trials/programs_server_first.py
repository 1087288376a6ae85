# SPDX-License-Identifier: Apache-2.0
"""M05: protocols where the server speaks first: the balancer must not wait for the client.

A banner server, a small SMTP server of our own in another process, and Debian's aiosmtpd; 50 silent
clients measure the time from the connect to the first byte.  Expected: at most 20 ms more than
without a balancer, each time.  Then one whole SMTP session with either, by Python's smtplib.
"""

import smtplib
import time

from kit import Direct, Script, each_engine, limit, receive_exactly
from kit.programs import Server, free_port

CLIENTS = 50
BANNER = b"SSH-2.0-banner_1.0\r\n"
GREETING = b"220 trial.example ESMTP\r\n"


def banner(sock, _index):
    sock.sendall(BANNER)
    sock.recv(1)


def smtp(sock, _index):
    """Enough of RFC 5321 for one mail; result: the mail's text."""
    sock.sendall(GREETING)
    lines, mail, in_data = sock.makefile("rb"), [], False
    for line in lines:
        word = line.split(None, 1)[0].upper() if line.strip() else b""
        if in_data:
            if line == b".\r\n":
                in_data = False
                sock.sendall(b"250 taken\r\n")
            else:
                mail.append(line)
        elif word == b"DATA":
            in_data = True
            sock.sendall(b"354 go on\r\n")
        elif word == b"QUIT":
            sock.sendall(b"221 bye\r\n")
            break
        else:
            sock.sendall(b"250 fine\r\n")
    lines.close()
    return b"".join(mail)


def to_first_byte(stage, target, expected):
    """Seconds from before the connect to the whole greeting, the client being silent."""
    took = []
    for _ in range(CLIENTS):
        begin = time.monotonic()
        client = stage.connect(target)
        assert receive_exactly(client, len(expected), limit(2)) == expected
        took.append(time.monotonic() - begin)
        client.close()
    return took


@each_engine
def test_server_first_banner(stage, way):
    for serve, expected in ((banner, BANNER), (smtp, GREETING)):
        backend = stage.backend(Script(serve, forked=True))
        target = stage.target(way, [backend])
        direct = to_first_byte(stage, Direct(backend), expected)
        through = to_first_byte(stage, target, expected)
        assert max(through) <= max(direct) + limit(0.02)
        target.quiet()


@each_engine
def test_server_first_smtp_session(stage, way):
    backend = stage.backend(Script(smtp, forked=True))
    target = stage.target(way, [backend])
    text = "Subject: trial\r\n\r\n" + "0123456789" * 7 + "\r\n"
    with smtplib.SMTP(*target.address, timeout=limit(5)) as session:
        session.sendmail("a@trial.example", ["b@trial.example"], text * 5000)
    backend.stop()
    target.quiet()


def aiosmtpd(stage, folder):
    """It puts mail into the maildir folder/mail."""
    port = free_port()
    return stage.backend(Server(
        ["/usr/bin/python3", "-m", "aiosmtpd", "-n", "-l", f"127.0.0.1:{port}",
         "-c", "aiosmtpd.handlers.Mailbox", str(folder / "mail")], port))


@each_engine
def test_server_first_real_smtp(stage, way, tmp_path):
    backend = aiosmtpd(stage, tmp_path)
    target = stage.target(way, [backend])
    direct = to_first_byte(stage, Direct(backend), b"220 ")
    through = to_first_byte(stage, target, b"220 ")
    assert max(through) <= max(direct) + limit(0.02)
    text = "Subject: trial\r\n\r\n" + ("0123456789" * 7 + "\r\n") * 5000
    with smtplib.SMTP(*target.address, timeout=limit(5)) as session:
        session.sendmail("a@trial.example", ["b@trial.example"], text)
    mail, = (tmp_path / "mail/new").iterdir()
    assert mail.read_text(encoding="ascii").count("0123456789" * 7 + "\n") == 5000
    target.quiet()
