# SPDX-License-Identifier: Apache-2.0
"""Sockets with deadlines, and payload that shows loss, repetition, reordering and mixing.

Every function leaves the socket blocking and uses MSG_DONTWAIT with poll(), so that one thread may
read and another write the same socket, each with its own deadline.
"""

import errno
import fcntl
import functools
import os
import random
import select
import socket
import struct
import termios
import threading
import time
from dataclasses import dataclass

STRICT = os.environ.get("L4LB_STRICT") == "1"
SIOCOUTQ = 0x5411
IP_BIND_ADDRESS_NO_PORT = 24
RESETS = (errno.ECONNRESET, errno.EPIPE, errno.ETIMEDOUT)


def limit(seconds):
    """A trial's own time limit: five times as long unless L4LB_STRICT=1."""
    return seconds if STRICT else seconds * 5


def scaled(ci, strict):
    """A count: the small one in CI, the trial's own with L4LB_STRICT=1."""
    return strict if STRICT else ci


class Deadline:
    """A point in time; `Deadline.of` takes seconds from now, or a Deadline as it is."""

    def __init__(self, seconds):
        self._end = time.monotonic() + seconds

    @staticmethod
    def of(within):
        return within if isinstance(within, Deadline) else Deadline(within)

    def left(self):
        return max(0.0, self._end - time.monotonic())

    def passed(self):
        return self.left() == 0.0


def wait_until(condition, within, what):
    """Polls `condition` and returns its first true value; fails, naming `what`, at the deadline."""
    deadline = Deadline.of(within)
    while True:
        value = condition()
        if value:
            return value
        assert not deadline.passed(), f"waited in vain for: {what}"
        time.sleep(0.01)


def wait_for_standstill(value, within, still=0.5):
    """Polls `value` until it has not changed for `still` seconds and returns it."""
    seen, since = value(), time.monotonic()

    def stands_still():
        nonlocal seen, since
        now = value()
        if now != seen:
            seen, since = now, time.monotonic()
        return time.monotonic() - since >= still

    wait_until(stands_still, within, "standstill")
    return seen


class Pattern:
    """An endless stream of bytes that depends on a seed; its period is a prime number of bytes."""

    PERIOD = 65521
    CHUNK = 4 * PERIOD

    def __init__(self, seed):
        self.seed = seed
        self._view = memoryview(random.Random(seed).randbytes(self.PERIOD) * 5)

    def at(self, offset, count):
        """`count` (at most CHUNK) bytes from `offset` on."""
        assert count <= self.CHUNK
        start = offset % self.PERIOD
        return self._view[start:start + count]

    def bytes(self, count):
        """The first `count` bytes."""
        whole = bytes(self._view[:self.PERIOD]) * (count // self.PERIOD + 1)
        return whole[:count]

    def check(self, offset, data):
        """Fails at the first byte of `data` that is not the stream's at `offset`."""
        for start in range(0, len(data), self.CHUNK):
            piece = data[start:start + self.CHUNK]
            expected = self.at(offset + start, len(piece))
            if expected != piece:
                wrong = next(i for i, b in enumerate(piece) if b != expected[i])
                raise AssertionError(f"seed {self.seed}: wrong byte at {offset + start + wrong}: "
                                     f"{bytes(piece[wrong:wrong + 16])!r}")


@functools.lru_cache(maxsize=64)
def pattern(seed):
    return Pattern(seed)


def family_of(address):
    if isinstance(address, str):
        return socket.AF_UNIX
    return socket.AF_INET6 if ":" in address[0] else socket.AF_INET


def connect(address, within=None, rcvbuf=None, sndbuf=None, source=None, nodelay=True):
    """A connected blocking socket.  `address` is (host, port) or a UNIX socket's path.  Buffers are
    set before connecting; `source` is an address, which is given a port only by connecting, so that
    all destinations may share the ports."""
    sock = socket.socket(family_of(address))
    try:
        if rcvbuf:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        if sndbuf:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, sndbuf)
        if nodelay and sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if source:
            sock.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
            sock.bind((source, 0))
        sock.settimeout(limit(5) if within is None else Deadline.of(within).left())
        sock.connect(address)
        sock.setblocking(True)
        return sock
    except BaseException:
        sock.close()
        raise


def linger0(sock):
    """Ends a connection by a reset."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def unsent(sock):
    """Bytes sent but not acknowledged by the far kernel (SIOCOUTQ)."""
    return struct.unpack("i", fcntl.ioctl(sock, SIOCOUTQ, b"\0\0\0\0"))[0]


def unread(sock):
    """Bytes in the receive queue (FIONREAD)."""
    return struct.unpack("i", fcntl.ioctl(sock, termios.FIONREAD, b"\0\0\0\0"))[0]


def _wait(sock, events, seconds):
    poll = select.poll()
    poll.register(sock, events)
    return bool(poll.poll(max(0, int(seconds * 1000) + 1)))


def _send_some(sock, data, deadline):
    while True:
        try:
            return sock.send(data, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except BlockingIOError:
            if deadline.passed():
                raise TimeoutError("the peer takes no more bytes") from None
            _wait(sock, select.POLLOUT, deadline.left())


def send(sock, data, within):
    """Sends all of `data`; TimeoutError at the deadline, OSError as the kernel says."""
    deadline = Deadline.of(within)
    view = memoryview(data)
    while view:
        view = view[_send_some(sock, view, deadline):]


def send_pattern(sock, seed, count, within, offset=0, chunk=65536):
    """Sends the bytes [offset, offset + count) of pattern(seed)."""
    deadline = Deadline.of(within)
    stream, end = pattern(seed), offset + count
    while offset < end:
        offset += _send_some(sock, stream.at(offset, min(chunk, end - offset)), deadline)


def send_until_blocked(sock, seed, still, most, offset=0):
    """Sends pattern(seed) until nothing was taken for `still` seconds or `most` bytes are out;
    returns how many were sent."""
    stream, sent = pattern(seed), 0
    while sent < most:
        try:
            sent += _send_some(sock, stream.at(offset + sent, min(65536, most - sent)),
                               Deadline(still))
        except TimeoutError:
            break
    return sent


@dataclass
class Arrival:
    """What `receive` saw."""

    count: int = 0
    end: str = "open"      # "fin", "reset", or "open": count or deadline reached first.
    seconds: float = 0.0   # From the call to its end.
    longest_gap: float = 0.0  # The longest time without a byte (or the end), in seconds.
    data: bytes = b""      # Empty when the bytes were checked against a pattern instead.


def receive(sock, within, count=None, seed=None, offset=0, pace=None):
    """Reads until `count` bytes, the end of the stream, or the deadline.

    With `seed` the bytes are checked against pattern(seed) from `offset` on.  `pace` = (bytes,
    seconds): after every so many bytes sleeps so long.
    """
    deadline, begin = Deadline.of(within), time.monotonic()
    arrival, kept, last, nap_at = Arrival(), [], begin, pace[0] if pace else 1 << 60
    while count is None or arrival.count < count:
        size = min(262144, nap_at - arrival.count, (count or 1 << 60) - arrival.count)
        try:
            data = sock.recv(size, socket.MSG_DONTWAIT)
        except BlockingIOError:
            if deadline.passed():
                break
            _wait(sock, select.POLLIN, deadline.left())
            continue
        except OSError as error:
            if error.errno not in RESETS:
                raise
            arrival.end = "reset"
            break
        now = time.monotonic()
        arrival.longest_gap, last = max(arrival.longest_gap, now - last), now
        if not data:
            arrival.end = "fin"
            break
        if seed is None:
            kept.append(data)
        else:
            pattern(seed).check(offset + arrival.count, data)
        arrival.count += len(data)
        if arrival.count == nap_at:
            nap_at += pace[0]
            time.sleep(pace[1])
        if deadline.passed():
            break
    arrival.seconds, arrival.data = time.monotonic() - begin, b"".join(kept)
    return arrival


def receive_exactly(sock, count, within):
    """The next `count` bytes; fails when the stream ends or the deadline passes before."""
    arrival = receive(sock, within, count=count)
    assert arrival.count == count, f"{arrival.count} of {count} bytes, then {arrival.end}"
    return arrival.data


def together(count, parallel, task):
    """Calls task(0) ... task(count - 1) from `parallel` threads and returns the results in order;
    the first exception is raised after all have ended."""
    results, errors, numbers = [None] * count, [], iter(range(count))
    lock = threading.Lock()

    def work():
        while not errors:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            try:
                results[number] = task(number)
            except BaseException as error:  # pylint: disable=broad-except
                errors.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(count, parallel))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
