# SPDX-License-Identifier: Apache-2.0
"""The kit of the trials: far ends, ways to reach them, and what must hold afterwards.

A trial is black box: clients and backends are sockets of this process (or of forked children), and
between them stands a *way*: "direct" (nothing), "haproxy" (Debian's, mode tcp, for calibration), or
the name of an engine of l4lb ("epoll", ...).  A trial that fails on "direct" is itself wrong.

    from kit import *

    @each_way                                  # direct, then every engine
    def test_A03_server_closes(stage, way):
        backend = stage.backend(Script(lambda sock, index: ...))
        target = stage.target(way, [backend], idle_timeout="5s")
        client = stage.connect(target)
        send(client, b"ruok", within=limit(1))
        arrival = receive(client, within=limit(1))
        assert (arrival.data, arrival.end) == (b"imok", "fin")
        target.quiet()

Which ways: `each_way` = L4LB_WAYS (default "direct" and the engines), `each_engine` = only engines
(L4LB_ENGINES, default "epoll").  The daemon is L4LB_BIN (default build/release/bin/l4lb).

Time: every blocking call takes `within` (seconds or a Deadline) and never waits longer.
`limit(s)` is 5 s's in CI and s with L4LB_STRICT=1; `scaled(ci, strict)` picks a count likewise.

wire.py      connect, linger0, send, send_pattern, send_until_blocked, receive, receive_exactly,
             Arrival, pattern, unsent, unread, wait_until, wait_for_standstill, Deadline, limit,
             scaled, STRICT, together
backends.py  Backend and its kinds: Echo, Ident, Sink, Source, Stall, Rster, Script (threads, or a
             child process with forked=True); Refuse, Blackhole (ports that do not answer); Forked
             (any function in a child process); reserve_port
kernel.py    kernel_sockets: the kernel's table of TCP sockets
target.py    Target: address, quiet(), check_rest(), expect_reasons(); Direct, HAProxy
ends.py      await_close, echoes, keep_alive, turns (not in kit itself: `from kit.ends import ...`)
programs.py  Server, free_port: real programs as backends (`from kit.programs import ...`)
nginx.py     nginx, certificate: the one that serves a folder's files
daemon.py    Daemon, a Target: stats(), access_log(), fds(), rss(), cpu(), turns(), signal(), stop()
stage.py     Stage: starts the above for one trial and puts everything away after it (conftest.py)
"""

from kit.backends import (Backend, Blackhole, Echo, Forked, Ident, Refuse, Rster, Script, Sink,
                          Source, Stall, reserve_port)
from kit.daemon import Daemon
from kit.kernel import kernel_sockets
from kit.stage import Stage, each_engine, each_way
from kit.target import Direct, HAProxy, Target
from kit.wire import (STRICT, Arrival, Deadline, connect, limit, linger0, pattern, receive,
                      receive_exactly, scaled, send, send_pattern, send_until_blocked, together,
                      unread, unsent, wait_for_standstill, wait_until)

__all__ = [
    "Arrival", "Backend", "Blackhole", "Daemon", "Deadline", "Direct", "Echo", "Forked", "HAProxy",
    "Ident", "Refuse", "Rster", "STRICT", "Script", "Sink", "Source", "Stage", "Stall", "Target",
    "connect", "each_engine", "each_way", "kernel_sockets", "limit", "linger0", "pattern",
    "receive", "receive_exactly", "reserve_port", "scaled", "send", "send_pattern",
    "send_until_blocked", "together", "unread", "unsent", "wait_for_standstill", "wait_until",
]
