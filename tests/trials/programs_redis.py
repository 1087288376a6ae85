# SPDX-License-Identifier: Apache-2.0
"""M03: Redis through the balancer: pipelining under load, and clients that only listen.

`redis-benchmark -c 50 -n 200000 -P 16 -q` (in CI 50,000) must end by itself without an error;
`redis-cli --pipe` of 1 M SETs (in CI 100,000) has every reply; messages published by one client
reach a subscriber that is another client, all of them, in order.  A client that has said MONITOR
and reads nothing for 10 s (in CI 2 s) costs the balancer its buffers and 1 MiB at most, and then
gets all that was done.
"""

import subprocess
import threading
import time

from kit import each_way, limit, receive_exactly, scaled, wait_until
from kit.programs import Server, free_port

MESSAGES = 1000
REQUESTS, SETS, PAUSE = scaled(50_000, 200_000), scaled(100_000, 1_000_000), scaled(2, 10)
MONITORED = 50_000  # 27 MB: more than the kernel's buffers hold.
BUFFERS = 2 * (16 << 10)


def redis(stage, folder):
    port = free_port()
    return stage.backend(Server(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "",
         "--appendonly", "no", "--dir", str(folder), "--protected-mode", "no"], port))


def client(target, *command):
    host, port = target.address
    return [command[0], "-h", host, "-p", str(port), *command[1:]]


@each_way
def test_redis_benchmark(stage, way, tmp_path):
    target = stage.target(way, [redis(stage, tmp_path)])
    run = subprocess.run(
        client(target, "redis-benchmark", "-c", "50", "-n", str(REQUESTS), "-P", "16", "-q",
               "-t", "set,get,lrange_100"),
        capture_output=True, text=True, timeout=limit(30), check=False)
    results = run.stdout.replace("\r", "\n")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "rror" not in run.stdout + run.stderr, run.stdout + run.stderr
    for test in ("SET:", "GET:", "LRANGE_100"):
        assert any(line.startswith(test) and "requests per second" in line
                   for line in results.splitlines()), results
    target.quiet()


@each_way
def test_redis_bulk_load(stage, way, tmp_path):
    target = stage.target(way, [redis(stage, tmp_path)])
    commands = "".join(f"SET key:{i} {'v' * (1 + i % 300)}\r\n" for i in range(SETS))
    run = subprocess.run(client(target, "redis-cli", "--pipe"), input=commands, text=True,
                         capture_output=True, timeout=limit(20), check=True)
    assert f"errors: 0, replies: {SETS}" in run.stdout, run.stdout
    size = subprocess.run(client(target, "redis-cli", "dbsize"), text=True, capture_output=True,
                          timeout=limit(2), check=True)
    assert size.stdout.strip() == str(SETS)
    target.quiet()


@each_way
def test_redis_publish_and_subscribe(stage, way, tmp_path):
    target = stage.target(way, [redis(stage, tmp_path)])
    subscriber = stage.connect(target)
    subscriber.sendall(b"SUBSCRIBE news\r\n")
    confirmed = b"*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n"
    assert receive_exactly(subscriber, len(confirmed), limit(2)) == confirmed
    expected = b"".join(b"*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$%d\r\n%d\r\n" % (len(str(i)), i)
                        for i in range(MESSAGES))
    arrived = []
    reader = threading.Thread(target=lambda: arrived.append(
        receive_exactly(subscriber, len(expected), limit(10))), daemon=True)
    reader.start()
    publisher = subprocess.run(
        client(target, "redis-cli"), input="".join(f"PUBLISH news {i}\n" for i in range(MESSAGES)),
        text=True, capture_output=True, timeout=limit(10), check=True)
    assert publisher.stdout.split() == ["1"] * MESSAGES
    wait_until(lambda: arrived, limit(5), "the messages at the subscriber")
    assert arrived[0] == expected
    subscriber.close()
    target.quiet()


@each_way
def test_redis_slow_monitor(stage, way, tmp_path):
    target = stage.target(way, [redis(stage, tmp_path)])
    monitor = stage.connect(target, rcvbuf=65536)
    monitor.settimeout(limit(5))
    monitor.sendall(b"MONITOR\r\n")
    assert receive_exactly(monitor, 5, limit(2)) == b"+OK\r\n"
    before = target.rss() if target.is_l4lb else 0
    commands = "".join(f"SET key:{i} {'v' * 500}\r\n" for i in range(MONITORED))
    subprocess.run(client(target, "redis-cli", "--pipe"), input=commands, text=True,
                   capture_output=True, timeout=limit(20), check=True)
    time.sleep(PAUSE)
    if target.is_l4lb:
        assert target.sanitized or target.rss() - before <= 2 * BUFFERS + (1 << 20)
    seen, last = b"", f'"SET" "key:{MONITORED - 1}"'.encode()
    while last not in seen:
        piece = monitor.recv(1 << 20)
        assert piece, "cut off"
        seen = seen[-1000:] + piece
    monitor.close()
    target.quiet()
