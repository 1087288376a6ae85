# SPDX-License-Identifier: Apache-2.0
"""Trials in a network of their own, where ports, addresses and the kernel's settings are free."""

import ctypes
import functools
import os
import signal
import subprocess

import pytest

from kit.forked import LIBC, PR_SET_PDEATHSIG, Forked
from kit.stage import Stage

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
LONG = 4 * 3600  # Seconds; what a soak may take at most. ctest has a limit of its own.


def in_namespace(test):
    """Decorates a trial: it runs in a child process, in a new network namespace that has only a
    loopback interface.  Skipped where that is not permitted."""
    @functools.wraps(test)
    def isolated(stage, **arguments):
        child = Forked(_inside, test, stage.folder, arguments)
        stage.keep(child, child.kill)
        if reason := child.result(LONG):
            pytest.skip(reason)
    return isolated


def _inside(test, folder, arguments):
    """Runs in the child; returns why the trial was skipped, None when it passed."""
    try:
        enter_own_network()
    except OSError as error:
        return f"no network namespace: {error.strerror}"
    stage = Stage(folder)
    try:
        test(stage, **arguments)
    except pytest.skip.Exception as skipped:
        return str(skipped)
    finally:
        stage.put_away()
    return None


def enter_own_network():
    """Moves this process, which must have one thread, into a new network with `lo` up.  Without
    privileges it becomes root of a user namespace of its own."""
    uid, gid = os.geteuid(), os.getegid()
    if uid != 0 or LIBC.unshare(CLONE_NEWNET) != 0:
        _call(LIBC.unshare, CLONE_NEWUSER | CLONE_NEWNET)
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"),
                           ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def _call(function, *arguments):
    if function(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def add_addresses(*addresses):
    """Gives `lo` these, such as "fd00:1::1/64"."""
    for address in addresses:
        at_once = ["nodad"] if ":" in address else []
        subprocess.run(["ip", "address", "add", address, "dev", "lo", *at_once], check=True)


def set_kernel(name, value):
    """Sets a setting of this network, such as net.ipv4.ip_local_port_range; OSError where /proc/sys
    is read-only."""
    with open("/proc/sys/" + name.replace(".", "/"), "w", encoding="ascii") as file:
        file.write(str(value))


def shrink_socket_buffers(most):
    """From now on no TCP socket of this network holds more bytes than `most` each way, so that what
    is on its way is in the daemon and not in the kernel; OSError as above."""
    for direction in "rw":
        set_kernel(f"net.ipv4.tcp_{direction}mem", f"4096 {min(most, 16384)} {most}")
