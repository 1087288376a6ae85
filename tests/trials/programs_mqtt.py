# SPDX-License-Identifier: Apache-2.0
"""M04: MQTT through the balancer, two mosquitto brokers.

A subscriber with a keepalive of 10 s (in CI 5 s) and an idle time-out of 20 s (7 s) stays connected
for 40 s (9 s) without a message, then gets one.  kill -9 for its broker: it comes back to the other
one within 3 s, and QoS 1 messages published after that arrive.
"""

import re
import subprocess
import threading
import time

from kit import each_engine, limit, scaled, wait_until
from kit.programs import Server, free_port, run

KEEPALIVE, IDLE, SILENCE = scaled(5, 10), scaled(7, 20), scaled(9, 40)


def broker(stage, folder, name):
    port = free_port()
    config = folder / f"{name}.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n"
                      "log_type none\n", encoding="ascii")
    return stage.backend(Server(["/usr/sbin/mosquitto", "-c", str(config)], port, name=name))


class Subscriber:
    """mosquitto_sub; `messages` and `said`, what it reports of the protocol."""

    def __init__(self, stage, target):
        host, port = target.address
        self.messages, self.said = [], []
        self._process = subprocess.Popen(
            ["stdbuf", "-oL", "mosquitto_sub", "-h", host, "-p", str(port), "-k", str(KEEPALIVE),
             "-i", "trial", "-q", "1", "-t", "news", "-d", "-F", "message %p"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        stage.keep(self, self.stop)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            if match := re.match(r"message (.*)", line):
                self.messages.append(match[1])
            else:
                self.said.append(line)

    def subscribed(self):
        """How often a broker has confirmed the subscription."""
        return sum("SUBACK" in line for line in self.said)

    def pings(self):
        return sum("PINGRESP" in line for line in self.said)

    def stop(self):
        self._process.kill()
        self._process.wait()


def publish(address, text):
    """With QoS 1: returns when the broker has confirmed it."""
    host, port = address
    run(["mosquitto_pub", "-h", host, "-p", port, "-q", "1", "-t", "news", "-m", text], 3)


@each_engine
def test_mqtt_keepalive(stage, way, tmp_path):
    one = broker(stage, tmp_path, "one")
    target = stage.target(way, [one], idle_timeout=f"{IDLE}s")
    subscriber = Subscriber(stage, target)
    wait_until(subscriber.subscribed, limit(2), "the subscription")
    time.sleep(SILENCE)
    assert subscriber.subscribed() == 1, "it had to connect again"
    assert subscriber.pings() >= SILENCE // KEEPALIVE - 1
    publish(target.address, "still there")
    wait_until(lambda: subscriber.messages, limit(1), "the message")
    assert subscriber.messages == ["still there"]
    if target.is_l4lb:
        assert target.listener()["accepted"] == 2  # Both clients once.
    subscriber.stop()
    target.quiet()


@each_engine
def test_mqtt_broker_dies(stage, way, tmp_path):
    brokers = [broker(stage, tmp_path, name) for name in ("one", "two")]
    target = stage.target(way, brokers)
    subscriber = Subscriber(stage, target)
    wait_until(subscriber.subscribed, limit(2), "the subscription")
    backends = target.pool()["backends"]
    dying = next(b for b in brokers if backends[b.name]["active"])
    dying.kill()
    begin = time.monotonic()
    wait_until(lambda: subscriber.subscribed() == 2, limit(3), "the subscriber at the other broker")
    assert time.monotonic() - begin <= limit(3)
    texts = [f"message {n}" for n in range(5)]
    for text in texts:
        publish(target.address, text)
    wait_until(lambda: len(subscriber.messages) == len(texts), limit(2), "the messages")
    assert subscriber.messages == texts
    assert target.listener()["closed_by_reason"]["backend_reset"] + \
        target.listener()["closed_by_reason"]["backend_fin"] >= 1
    subscriber.stop()
    target.quiet()
