# SPDX-License-Identifier: Apache-2.0
"""What a group of processes costs, read from /proc; free ports; ending processes by their id.

Used by everything in this folder.
"""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

HOST = "127.0.0.1"


def free_port():
    """A TCP port that nobody has now; the kernel does not hand it out again soon."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def serve(command, port, seconds=10.0):
    """Starts a server; returns once it accepts on `port`, or raises with its last words."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        deadline = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return process
            time.sleep(0.02)
        end(process)
        errors.seek(0)
        raise RuntimeError(f"{' '.join(command)}: {errors.read().decode(errors='replace')[-2000:]}")


def family_of(pid):
    """`pid` and all its descendants."""
    pids = [pid]
    for parent in pids:
        try:
            tasks = os.listdir(f"/proc/{parent}/task")
            for task in tasks:
                with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as children:
                    pids += [int(child) for child in children.read().split()]
        except FileNotFoundError:
            continue
    return pids


def cpu_ns(pids):
    """CPU time of all threads of `pids`, user and kernel.

    schedstat counts nanoseconds; the fields of /proc/PID/stat only tick every 10 ms.
    """
    total = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as schedstat:
                total += int(schedstat.read().split()[0])
    return total


def pss_bytes(pids):
    """Memory of `pids`, pages shared between them counted once (proportional set size).

    Without mapped files: the share of a library changes with whoever else starts or ends.
    """
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
            for line in rollup:
                if line.startswith(("Pss_Anon:", "Pss_Shmem:")):
                    total += int(line.split()[1]) * 1024
    return total


def end(process, seconds=5.0):
    """Ends a child of ours by SIGTERM; by SIGKILL, it and its descendants, when that fails."""
    if process is None or process.poll() is not None:
        return
    family = family_of(process.pid)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()


def kernel_memory_bytes():
    """What the kernel holds for everybody: slabs (sockets, files, epoll items) and TCP's buffers.

    Of the whole machine; only its growth means something.
    """
    with open("/proc/meminfo", encoding="ascii") as meminfo:
        slab = next(int(line.split()[1]) for line in meminfo if line.startswith("Slab:"))
    with open("/proc/net/sockstat", encoding="ascii") as sockstat:
        pages = next(int(line.split()[-1]) for line in sockstat if line.startswith("TCP:"))
    return slab * 1024 + pages * os.sysconf("SC_PAGESIZE")


class CpuSampler:
    """Reads the CPU time of processes every 20 ms on a thread of its own, inside a `with`."""

    def __init__(self, pids, every=0.02):
        self._pids = pids
        self._every = every
        self._samples = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._sample()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        with contextlib.suppress(FileNotFoundError):
            self._sample()

    def _sample(self):
        self._samples.append((time.monotonic(), cpu_ns(self._pids)))

    def _run(self):
        # What has ended has no samples any more, which rate() says.
        with contextlib.suppress(FileNotFoundError):
            while not self._over.wait(self._every):
                self._sample()

    def rate(self, begin, end):
        """CPU nanoseconds a second between two monotonic times, interpolated between samples."""
        if self._samples[-1][0] < end:
            raise RuntimeError("no CPU samples: the contender has ended")
        return (self._at(end) - self._at(begin)) / (end - begin)

    def _at(self, moment):
        late = next((i for i, sample in enumerate(self._samples) if sample[0] >= moment),
                    len(self._samples) - 1)
        (first, low), (last, high) = self._samples[max(late - 1, 0)], self._samples[late]
        if last <= first:
            return low
        return low + (high - low) * min(max((moment - first) / (last - first), 0), 1)


def machine():
    """What the figures were measured on."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        model = next((line.split(":", 1)[1].strip() for line in cpuinfo
                      if line.startswith("model name")), "unknown")
    return {"cpu": model, "cores": os.cpu_count(), "kernel": os.uname().release,
            "load_average": os.getloadavg()[0]}


def raise_file_limit(wanted=20000):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = max(soft, wanted if hard == resource.RLIM_INFINITY else min(wanted, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
