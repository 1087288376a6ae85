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

Which ways: `each_way` = L4LB_WAYS (default "direct" and the engines), `each_engine` = all of them
but "direct", `only_l4lb` = L4LB_ENGINES (default "epoll"; "epoll,io_uring" are both).  Where the
kernel has no io_uring, what is about it is skipped.  `each_policy` adds the policies.  The daemon
is L4LB_BIN (default build/release/bin/l4lb); it has L4LB_WORKERS (default 2) workers.

Time: every blocking call takes `within` (seconds or a Deadline) and never waits longer.
`limit(s)` is 5 s's in CI and s with L4LB_STRICT=1; `scaled(ci, strict)` picks a count likewise.

wire.py      connect, linger0, send, send_pattern, send_until_blocked, receive, receive_exactly,
             Arrival, pattern, unsent, unread, wait_until, wait_for_standstill, Deadline, limit,
             scaled, STRICT, together
backends.py  Backend and its kinds: Echo, Ident, Sink, Source, Stall, Rster, Script (threads, or a
             child process with forked=True); Refuse, Blackhole (ports that do not answer);
             reserve_port
forked.py    Forked (any function in a child process), Counts
kernel.py    kernel_sockets: the kernel's table of TCP sockets; lacks_io_uring
target.py    Target: address, quiet(), check_rest(), expect_reasons(); Direct, Entry, HAProxy
ends.py      await_close, dial, echoes, keep_alive, name_of, open_named, reasons_of, refused, turns,
             visit (not in kit itself: `from kit.ends import ...`)
api.py       Api: the admin API of a Daemon; rewrite: another file (`from kit.api import ...`)
health.py    every, await_health, changes, Doctor, doctors: health checks (likewise)
arrivals.py  Arrivals: clients at a steady rate, each with what became of it (likewise)
postgres.py  postgres: a server with a folder of its own (likewise)
namespace.py in_namespace, add_addresses, set_kernel, shrink_socket_buffers: trials in a network of their own
load.py      Served, Load, run_load: l4lb-load at either end (`from kit.load import ...`)
programs.py  Server, free_port: real programs as backends (`from kit.programs import ...`)
seccomp.py   without: a wrapper that takes io_uring, or pipes, from the daemon
nginx.py     nginx, certificate: the one that serves a folder's files
configuration.py  the options of a Daemon; service, members: listeners and pools as mappings
daemon.py    Daemon, a Target: stats(), access_log(), fds(), rss(), cpu(), turns(), signal(),
             stop(); failed_start
stage.py     Stage: starts the above for one trial and puts everything away after it (conftest.py)
"""

from kit.backends import (Backend, Blackhole, Echo, Ident, Refuse, Rster, Script, Sink, Source,
                          Stall, reserve_port)
from kit.daemon import Daemon
from kit.forked import Forked
from kit.kernel import kernel_sockets
from kit.stage import Stage, each_engine, each_policy, each_way, only_l4lb
from kit.target import Direct, Entry, HAProxy, Target
from kit.wire import (STRICT, Arrival, Deadline, connect, limit, linger0, pattern, receive,
                      receive_exactly, scaled, send, send_pattern, send_until_blocked, together,
                      unread, unsent, wait_for_standstill, wait_until)

__all__ = [
    "Arrival", "Backend", "Blackhole", "Daemon", "Deadline", "Direct", "Echo", "Entry", "Forked",
    "HAProxy", "Ident", "Refuse", "Rster", "STRICT", "Script", "Sink", "Source", "Stage", "Stall",
    "Target",
    "connect", "each_engine", "each_policy", "each_way", "kernel_sockets", "limit", "linger0",
    "only_l4lb", "pattern", "receive", "receive_exactly", "reserve_port", "scaled", "send",
    "send_pattern", "send_until_blocked", "together", "unread", "unsent", "wait_for_standstill",
    "wait_until",
]
