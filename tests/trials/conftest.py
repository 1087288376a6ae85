# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the trials; the kit's own page is kit/__init__.py."""

import sys

sys.dont_write_bytecode = True

import pytest  # pylint: disable=wrong-import-position

from kit import Stage  # pylint: disable=wrong-import-position


@pytest.fixture
def stage(tmp_path):
    """Starts backends, targets and clients, and puts them away."""
    stage = Stage(tmp_path)
    yield stage
    stage.put_away()
