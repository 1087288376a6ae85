# SPDX-License-Identifier: Apache-2.0
"""B04: the backend answers early and closes with unread input, for which its kernel sends a reset.

The answer precedes the reset and must not be lost by it. The backend always reads 1 KiB and
answers with 18 bytes. (B04) The client sends 2 KiB, then only reads: 500 of 500 get the answer.
(B04b) The client goes on sending until it is told to stop by an error, then reads: 100 of 100 get
the answer, as they do without a balancer. (B04c) The answer has 256 KiB, and the backend closes
only when its kernel has seen all of it acknowledged; a client that reads 32 KiB every 50 ms gets
the same bytes and the same kind of end as without a balancer, a reset.
"""

from kit import (Script, each_way, limit, receive, receive_exactly, scaled, send_pattern, together,
                 unsent, wait_until)

ANSWER = b"HTTP/1.0 413 X\r\n\r\n"
LONG_ANSWER = 256 << 10


def answer_early(sock, _index):
    receive_exactly(sock, 1024, limit(5))
    sock.sendall(ANSWER)


@each_way
def test_B04_client_reads(stage, way):
    target = stage.target(way, [stage.backend(Script(answer_early))])

    def client(_):
        sock = stage.connect(target)
        send_pattern(sock, 4, 2048, limit(1))
        arrival = receive(sock, limit(1))
        sock.close()
        return arrival.data

    assert set(together(scaled(300, 500), parallel=4, task=client)) == {ANSWER}
    target.quiet()


@each_way
def test_B04b_client_still_sends(stage, way):
    target = stage.target(way, [stage.backend(Script(answer_early))])

    def client(_):
        sock = stage.connect(target)
        try:
            send_pattern(sock, 4, 1 << 40, limit(2))
        except (BrokenPipeError, ConnectionResetError):
            pass
        arrival = receive(sock, limit(1))
        sock.close()
        assert arrival.end in ("fin", "reset")
        return arrival.data

    assert set(together(100, parallel=4, task=client)) == {ANSWER}
    target.quiet()


def answer_at_length(sock, _index):
    receive_exactly(sock, 1024, limit(5))
    send_pattern(sock, 5, LONG_ANSWER, limit(5))
    wait_until(lambda: unsent(sock) == 0, limit(5), "the answer's acknowledgement")


@each_way
def test_B04c_slow_reader(stage, way):
    target = stage.target(way, [stage.backend(Script(answer_at_length))])

    def client(_):
        sock = stage.connect(target)
        send_pattern(sock, 4, 2048, limit(1))
        arrival = receive(sock, limit(5), seed=5, pace=(32 << 10, 0.05))
        return arrival.count, arrival.end

    assert set(together(10, parallel=10, task=client)) == {(LONG_ANSWER, "reset")}
    target.expect_reasons(backend_reset=10)
    target.quiet()
