#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program to which the kernel refuses something, as containers do with io_uring.

    wrapper=without("io_uring")                 # of a Daemon
    seccomp.py io_uring PROGRAM [ARGUMENT...]   # the same as a program

A seccomp filter of this process and what it runs; nothing else on the machine changes.
"""

import ctypes
import errno
import os
import struct
import sys

SETUP, REGISTER = 425, 427  # System calls, the same on every architecture.
PIPE2 = {"x86_64": 293}.get(os.uname().machine, 59)
REGISTER_PBUF_RING = 22     # Since Linux 5.19.
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # Of BPF: load a word, jump if equal, return.
CALL, FIRST_ARGUMENT = 0, 16            # Offsets in struct seccomp_data, 8 bytes an argument.
ALLOW, REFUSE = 0x7FFF0000, 0x00050000

# What is refused -> the system call, its second argument (None: any) and the error.
KINDS = {
    "io_uring": (SETUP, None, errno.EPERM),            # By Docker, and kernel.io_uring_disabled.
    "io_uring_at_all": (SETUP, None, errno.ENOSYS),    # By kernels without it, and gVisor.
    "buffer_rings": (REGISTER, REGISTER_PBUF_RING, errno.EINVAL),  # By kernels before 5.19.
    "pipes": (PIPE2, None, errno.EMFILE),
}


def without(kind):
    """The wrapper of a Daemon that lacks what KINDS names."""
    return [sys.executable, os.path.abspath(__file__), kind]


def filter_of(call, argument, error):
    """The BPF program, as bytes."""
    load_argument = struct.pack("HBBI", LOAD, 0, 0, FIRST_ARGUMENT + 8)
    refuse = struct.pack("HBBI", RETURN, 0, 0, REFUSE | error)
    allow = struct.pack("HBBI", RETURN, 0, 0, ALLOW)
    load_call = struct.pack("HBBI", LOAD, 0, 0, CALL)
    if argument is None:
        return load_call + struct.pack("HBBI", EQUAL, 0, 1, call) + refuse + allow
    return (load_call + struct.pack("HBBI", EQUAL, 0, 3, call) + load_argument
            + struct.pack("HBBI", EQUAL, 0, 1, argument) + refuse + allow)


def install(program):
    """Puts it on this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    text = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(text))
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                      (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0)):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    install(filter_of(*KINDS[sys.argv[1]]))
    os.execvp(sys.argv[2], sys.argv[2:])
