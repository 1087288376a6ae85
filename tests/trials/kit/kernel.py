# SPDX-License-Identifier: Apache-2.0
"""What the kernel has: its table of IPv4 TCP sockets (/proc/net/tcp), and io_uring."""

import ctypes
import os
import re
from dataclasses import dataclass

from kit.forked import LIBC

STATES = {1: "ESTABLISHED", 2: "SYN_SENT", 3: "SYN_RECV", 4: "FIN_WAIT1", 5: "FIN_WAIT2",
          6: "TIME_WAIT", 7: "CLOSE", 8: "CLOSE_WAIT", 9: "LAST_ACK", 10: "LISTEN", 11: "CLOSING",
          12: "NEW_SYN_RECV"}


@dataclass
class KernelSocket:
    state: str
    local_port: int
    remote_port: int
    send_queue: int
    receive_queue: int
    orphaned: bool  # No process has it any more.


def kernel_sockets(local_port=None, remote_port=None):
    """The sockets with these ports; None matches all."""
    found = []
    with open("/proc/net/tcp", encoding="ascii") as table:
        for line in list(table)[1:]:
            _, local, remote, state, queues, *_, inode = line.split()[:10]
            send, receive = (int(part, 16) for part in queues.split(":"))
            sock = KernelSocket(STATES[int(state, 16)], int(local.split(":")[1], 16),
                                int(remote.split(":")[1], 16), send, receive, inode == "0")
            if local_port in (None, sock.local_port) and remote_port in (None, sock.remote_port):
                found.append(sock)
    return found


IO_URING_SETUP, IO_URING_OLDEST = 425, (6, 1)  # System call; the first kernel that will do.
SINGLE_ISSUER, DEFER_TASKRUN = 1 << 12, 1 << 13


def lacks_io_uring():
    """Why the io_uring engine cannot run here, "" when it must.  Makes a ring to find out."""
    release = os.uname().release
    if tuple(map(int, re.match(r"(\d+)\.(\d+)", release).groups())) < IO_URING_OLDEST:
        return f"Linux {release}"
    parameters = (ctypes.c_uint32 * 30)()  # struct io_uring_params; [2] are its flags.
    parameters[2] = SINGLE_ISSUER | DEFER_TASKRUN
    ring = LIBC.syscall(IO_URING_SETUP, 8, parameters)
    if ring < 0:
        return os.strerror(ctypes.get_errno())
    os.close(ring)
    return ""
