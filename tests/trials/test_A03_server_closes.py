# SPDX-License-Identifier: Apache-2.0
"""A03: the server closes, and the client must learn of it.

The backend reads four bytes, answers and closes. The client keeps its own side open and reads to
the end, then sends one byte more, which the backend's kernel answers by a reset. Expected: answer
and end within 0.5 s, and after the extra byte the client's connection is gone within 1 s.
"""

from kit import each_way, limit, receive, receive_exactly, Script, send, wait_until


def answer(sock, _index):
    data = receive_exactly(sock, 4, limit(5))
    sock.sendall(b"imok")
    return data


def gone(client):
    try:
        client.send(b"x")
        return False
    except (BrokenPipeError, ConnectionResetError):
        return True


@each_way
def test_A03_server_closes(stage, way):
    target = stage.target(way, [stage.backend(Script(answer))])
    client = stage.connect(target)
    send(client, b"ruok", within=limit(1))
    arrival = receive(client, within=limit(0.5))
    assert (arrival.data, arrival.end) == (b"imok", "fin")
    client.send(b"x")
    wait_until(lambda: gone(client), limit(1), "the end of the client's connection")
    target.quiet()
