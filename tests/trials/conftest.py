# SPDX-License-Identifier: Apache-2.0
"""Fixtures and flags of the trials; the kit's own page is kit/__init__.py."""

import os
import random
import re
import sys

sys.dont_write_bytecode = True

import pytest  # pylint: disable=wrong-import-position

from kit import Stage  # pylint: disable=wrong-import-position


def seconds(text):
    """90, "90s" or "20m" in seconds."""
    number, unit = re.fullmatch(r"(\d+)([smh]?)", text).groups()
    return int(number) * {"": 1, "s": 1, "m": 60, "h": 3600}[unit]


def pytest_addoption(parser):
    parser.addoption("--duration", type=seconds, default=os.environ.get("L4LB_SOAK", "30s"),
                     help="of the soak, such as 20m (default: L4LB_SOAK, or 30s)")
    parser.addoption("--seed", type=int, default=random.SystemRandom().randrange(1 << 32),
                     help="of the soak (default: a new one)")


@pytest.fixture
def stage(tmp_path):
    """Starts backends, targets and clients, and puts them away."""
    stage = Stage(tmp_path)
    yield stage
    stage.put_away()
