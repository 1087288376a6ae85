# SPDX-License-Identifier: Apache-2.0
"""Backends: servers that behave well or badly on purpose.

Each accepts on a port of its own below the ephemeral range and serves every connection on a thread;
with forked=True all of that happens in a child process, which can be stopped, continued and killed.
`results` collects what serve() returned, one per connection, in order of their ends; OSError from
serve() is recorded as its errno name ("ECONNRESET"), any other exception makes stop() fail.
"""

import errno
import os
import pickle
import random
import signal
import socket
import threading
import time
import traceback

from kit.forked import Counts, Forked
from kit.wire import Deadline, family_of, linger0, limit, receive, receive_exactly, send_pattern

LONG = 600  # Seconds; what a backend waits for a peer at most.
RANDOM = random.Random(os.getpid() ^ time.monotonic_ns())


def reserve_port(host="127.0.0.1"):
    """A socket bound to a free port below the ephemeral range; it refuses connections until it
    listens.  The bind itself is the reservation, so tests that run in parallel cannot collide."""
    while True:
        sock = socket.socket(family_of((host, 0)))
        try:
            sock.bind((host, RANDOM.randrange(10240, 32768)))
            return sock
        except OSError as error:
            sock.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise


class Backend:
    """A server.  Subclasses say in serve(sock, index) what happens to connection number `index`.
    With a `path` it listens on that UNIX socket."""

    def __init__(self, name=None, host="127.0.0.1", port=0, forked=False, rcvbuf=None, path=None):
        self.name, self.host, self.port, self.forked, self.rcvbuf = name, host, port, forked, rcvbuf
        self.path = path
        self.results, self._failures, self._counts = [], [], Counts()
        self._listener = self._child = self._results_pipe = None
        self._sockets, self._threads, self._lock = set(), [], threading.Lock()

    def serve(self, sock, index):
        raise NotImplementedError

    @property
    def address(self):
        """(host, port), or the path of the UNIX socket."""
        return self.path or (self.host, self.port)

    @property
    def accepted(self):
        """Connections accepted so far."""
        return self._counts.get(0)

    @property
    def peak(self):
        """The most connections that were open at the same time: accepted, and serve() not ended."""
        return self._counts.get(3)

    @property
    def sent(self):
        """Bytes that serve() counted by count_sent(): Source does."""
        return self._counts.get(1)

    def count_sent(self, count):
        self._counts.add(1, count)

    def listen(self):
        """Opens the port (a port given to the constructor, or a free one) or the path."""
        if self.path:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(self.path)
        elif self.port:
            self._listener = socket.socket(family_of(self.address))
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind((self.host, self.port))
        else:
            self._listener = reserve_port(self.host)
            self.port = self._listener.getsockname()[1]
        if self.rcvbuf:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.rcvbuf)
        self._listener.listen(4096)

    def start(self):
        self.listen()
        if self.forked:
            self._start_child()
        else:
            self._start_thread(self._accept_loop)
        return self

    def _start_thread(self, function, *args):
        thread = threading.Thread(target=function, args=args, daemon=True)
        with self._lock:
            self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()

    def _start_child(self):
        read, write = os.pipe()
        self._results_pipe = os.fdopen(write, "wb", buffering=0)
        self._child = Forked(self._accept_loop, keep=(write, self._listener.fileno()))
        self._results_pipe.close()
        self._listener.close()
        self._start_thread(self._collect, os.fdopen(read, "rb"))

    def _collect(self, pipe):
        with pipe:
            while True:
                try:
                    kind, value = pickle.load(pipe)
                except EOFError:
                    return
                (self.results if kind == "result" else self._failures).append(value)

    def _record(self, kind, value):
        with self._lock:
            if self._results_pipe:
                self._results_pipe.write(pickle.dumps((kind, value)))
            else:
                (self.results if kind == "result" else self._failures).append(value)

    def _accept_loop(self):
        index = 0
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self._counts.add(0, 1)
            self._counts.add(2, 1)
            self._counts.raise_to(3, self._counts.get(2))
            with self._lock:
                self._sockets.add(sock)
            self._start_thread(self._serve_one, sock, index)
            index += 1

    def _serve_one(self, sock, index):
        try:
            self._record("result", self.serve(sock, index))
        except OSError as error:
            name = errno.errorcode.get(error.errno, type(error).__name__)
            self._record("result", name)
        except Exception:  # pylint: disable=broad-except
            self._record("failure", traceback.format_exc())
        with self._lock:
            self._sockets.discard(sock)
        self._counts.add(2, -1)  # Before the peer can know that its place is free.
        sock.close()

    def signal(self, number):
        """Sends a signal to the child process (forked only)."""
        self._child.signal(number)

    def kill(self):
        """Ends the child process by SIGKILL (forked only)."""
        self._child.kill()

    def close_listener(self):
        """From now on the port refuses; connections live on (not forked only)."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def stop(self):
        """Ends everything; fails when serve() raised anything but OSError."""
        if self._child:
            self._child.kill()
        elif self._listener.fileno() >= 0:
            self.close_listener()
        with self._lock:
            sockets, threads = list(self._sockets), list(self._threads)
        for sock in sockets:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in threads:
            thread.join(5)
        assert not self._failures, "a backend failed:\n" + "\n".join(self._failures)


class Echo(Backend):
    """Sends back what it reads; result: the number of bytes."""

    def serve(self, sock, index):
        total = 0
        while data := sock.recv(262144):
            sock.sendall(data)
            total += len(data)
        return total


class Ident(Echo):
    """Sends its name and a newline at accept, then echoes."""

    def serve(self, sock, index):
        sock.sendall(self.name.encode() + b"\n")
        return super().serve(sock, index)


class Sink(Backend):
    """Reads to the end after `pause` seconds.  Result: an Arrival.  With `keyed` the first four
    bytes are the seed (big endian) of the pattern that the rest is checked against."""

    def __init__(self, keyed=False, pause=0, **options):
        super().__init__(**options)
        self.keyed, self.pause = keyed, pause

    def serve(self, sock, index):
        time.sleep(self.pause)
        seed = int.from_bytes(receive_exactly(sock, 4, LONG)) if self.keyed else None
        return receive(sock, LONG, seed=seed)


class Source(Backend):
    """Sends `count` bytes of pattern(seed), closes; `sent` counts.  Without a seed it first reads
    one: four bytes, big endian."""

    def __init__(self, count, seed=None, **options):
        super().__init__(**options)
        self.count, self.seed = count, seed

    def serve(self, sock, index):
        seed = self.seed
        if seed is None:
            seed = int.from_bytes(receive_exactly(sock, 4, LONG))
        for offset in range(0, self.count, 65536):
            size = min(65536, self.count - offset)
            send_pattern(sock, seed, size, LONG, offset=offset)
            self.count_sent(size)


class Stall(Backend):
    """Accepts and never reads, writes or closes until it is stopped."""

    def __init__(self, **options):
        super().__init__(**options)
        self._end = threading.Event()

    def serve(self, sock, index):
        self._end.wait(LONG)

    def stop(self):
        self._end.set()
        super().stop()


class Rster(Backend):
    """Accepts and resets at once."""

    def serve(self, sock, index):
        linger0(sock)


class Script(Backend):
    """Calls function(sock, index); its value is the result, and the connection is then closed."""

    def __init__(self, function, **options):
        super().__init__(**options)
        self.serve = function


class _Silent:
    """A port without a server behind it."""

    def __init__(self, name=None, host="127.0.0.1"):
        self.name, self.host = name, host
        self._socket = reserve_port(host)
        self.port = self._socket.getsockname()[1]
        self.address = (self.host, self.port)

    def start(self):
        return self

    def stop(self):
        self._socket.close()


class Refuse(_Silent):
    """Refuses every connection; the port is reserved until stop()."""


class Blackhole(_Silent):
    """Neither accepts nor refuses: connections to it stay in SYN_SENT until open()."""

    def __init__(self, **options):
        super().__init__(**options)
        self._socket.listen(0)
        self._filler = socket.create_connection(self.address, limit(5))
        self._accepted = []

    def open(self, backlog=4096):
        """From now on connections succeed: the kernel accepts the waiting ones, nobody reads."""
        self._accepted.append(self._socket.accept()[0])
        self._socket.listen(backlog)

    def accept(self, within):
        """The next connection that came through after open()."""
        self._socket.settimeout(Deadline.of(within).left())
        sock = self._socket.accept()[0]
        sock.setblocking(True)
        self._accepted.append(sock)
        return sock

    def stop(self):
        for sock in [self._filler, *self._accepted]:
            sock.close()
        super().stop()
